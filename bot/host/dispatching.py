"""The dispatch pass: controls that are due are sent to the runs that are observed here, each on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog

from bot.clock import SECOND, Clock
from bot.domain.control import Answer, Answered, Control, ControlKind
from bot.domain.execution import Execution, Fence
from bot.errors import ExecutorError, NotAcceptingError
from bot.executors.contract import Interruptible, TakesInput
from bot.host.handles import Handles
from bot.host.postponed import Postponed
from bot.host.recovery import FindExecutor
from bot.ids import ControlId, new_id
from bot.scheduler.controls import Dispatch, claim_control, gone, settle_control
from bot.storage.contract import Store

DEADLINE = 20 * SECOND
"""How long a run may take to answer, in milliseconds; less than a dispatch is trusted to be under way."""
PAGE = 100

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class DispatchPass:
    """
    Sends what is due, each control in a task of its own: a run that does not answer delays nothing else.

    ``handles`` are the runs that are observed here, ``owner`` the name under which their leases are held.
    """

    store: Store
    clock: Clock
    executors: FindExecutor
    handles: Handles
    owner: str
    wake: Callable[[], None]
    page: int = PAGE
    _sending: dict[ControlId, asyncio.Task[None]] = field(default_factory=dict)
    _postponed: Postponed[ControlId] = field(init=False)

    def __post_init__(self) -> None:
        self._postponed = Postponed(clock=self.clock)

    async def run(self) -> None:
        """Look at every control that is due; one that cannot be handled stops no other."""
        after: Control | None = None
        while page := await self._page(after):
            for control in page:
                if control.id not in self._sending and not self._postponed.waits(control.id):
                    await self._take(control)
            after = page[-1]

    async def close(self) -> None:
        """Give up what is under way: when its lease has lapsed, the same is sent again."""
        tasks = list(self._sending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _page(self, after: Control | None) -> Sequence[Control]:
        now = self.clock.now()
        return await self.store.read(lambda tx: tx.controls.due(now, after=after, limit=self.page))

    async def _take(self, control: Control) -> None:
        now, token = self.clock.now(), new_id("dsp")
        try:
            if not await self._concerns(control):
                return
            taken = await self.store.write(
                lambda tx: claim_control(tx, control.id, token=token, owner=self.owner, now=now)
            )
        except Exception as error:  # noqa: BLE001 - one control must never stop the others
            self._postponed.failed(control.id)
            _log.warning("control_not_taken", control=control.id, exc_info=error)
            return
        self._postponed.succeeded(control.id)
        if isinstance(taken, Dispatch):
            task = asyncio.create_task(self._send(taken), name=f"control {control.id}")
            self._sending[control.id] = task
            task.add_done_callback(lambda _: self._sent(control.id))

    async def _concerns(self, control: Control) -> bool:
        """Whether there is something to be done about a control here: its run is observed here, or is over."""
        if self.handles.get(Fence(execution=control.execution, epoch=control.epoch)) is not None:
            return True
        asks = control.kind is ControlKind.INTERRUPT
        return asks or await self.store.read(lambda tx: gone(control, tx.executions.get(control.execution)))

    def _sent(self, control: ControlId) -> None:
        self._sending.pop(control, None)
        self.wake()

    async def _send(self, dispatch: Dispatch) -> None:
        control = dispatch.control
        log = _log.bind(control=control.id, work=control.work, execution=control.execution, epoch=control.epoch)
        try:
            answered = await self._answer(dispatch, log)
            now = self.clock.now()
            state = await self.store.write(
                lambda tx: settle_control(tx, control.id, token=control.token, answered=answered, now=now)
            )
        except Exception as error:
            # It is sent again when its lease has lapsed.
            log.warning("control_not_settled", exc_info=error)
            return
        log.info("control_sent", answer=answered.answer.value, state=None if state is None else state.value)

    async def _answer(self, dispatch: Dispatch, log: structlog.typing.FilteringBoundLogger) -> Answered:
        try:
            async with asyncio.timeout(DEADLINE / 1000):
                return await self._ask(dispatch)
        except NotAcceptingError:
            return Answered(answer=Answer.NOT_ACCEPTING)
        except ExecutorError as error:
            return Answered(answer=Answer.IMPOSSIBLE if error.permanent else Answer.FAILED, code=error.code)
        except TimeoutError:
            return Answered(answer=Answer.FAILED, code="timeout")
        except Exception as error:  # noqa: BLE001 - an executor may raise anything, and its words are kept nowhere
            log.warning("control_failed", error=type(error).__name__)
            return Answered(answer=Answer.FAILED, code="error")

    async def _ask(self, dispatch: Dispatch) -> Answered:
        if dispatch.message is None:
            return await self._interrupt(dispatch.execution)
        handle = self.handles.get(dispatch.execution.fence)
        if handle is None:
            return Answered(answer=Answer.FAILED, code="unobserved")
        if not isinstance(handle, TakesInput):
            return Answered(answer=Answer.IMPOSSIBLE, code="unsupported")
        await handle.inject(dispatch.message)
        return Answered(answer=Answer.ACCEPTED)

    async def _interrupt(self, execution: Execution) -> Answered:
        executor = await self.executors.of(execution.binding)
        if not isinstance(executor, Interruptible):
            return Answered(answer=Answer.IMPOSSIBLE, code="unsupported")
        await executor.interrupt(execution.id, execution.epoch)
        return Answered(answer=Answer.ACCEPTED)
