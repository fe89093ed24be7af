"""An event loop in which nothing comes from outside: no sockets, no threads, and time that stands still."""

from __future__ import annotations

import asyncio
import contextvars
from asyncio import events
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar, cast

from tests.simulation.mortal import KilledError

T = TypeVar("T")


class Owner(Protocol):
    """Whoever starts tasks, and is told of each."""

    def adopt(self, task: asyncio.Task[Any]) -> None:
        """Remember a task as one of its own."""
        ...


OWNER: contextvars.ContextVar[Owner] = contextvars.ContextVar("OWNER")
"""Who the running task, and each that it starts, belongs to."""


class _Nothing:
    """Stands where a loop looks for what comes from outside."""

    def select(self, timeout: float | None) -> Sequence[object]:
        if timeout is None or timeout > 0:
            raise RuntimeError("the simulation waits for something that nothing can bring")
        return ()


class SimulationLoop(asyncio.BaseEventLoop):
    """
    Runs what is ready, in the order in which it became ready, and then returns.

    Work for threads is done at once. ``faults`` collects what nobody else was told of.
    """

    def __init__(self) -> None:
        super().__init__()
        self._selector = _Nothing()
        self.faults: list[str] = []
        self.set_exception_handler(self._fault)

    def time(self) -> float:
        """Return always the same time: the simulation has a clock of its own."""
        return 0.0

    def drain(self) -> None:
        """Run until nothing is ready any more."""
        events._set_running_loop(self)  # noqa: SLF001 - ``run_forever`` cannot return when there is nothing to do
        try:
            while self._ready:  # type: ignore[attr-defined]
                self._run_once()  # type: ignore[attr-defined]
        finally:
            events._set_running_loop(None)  # noqa: SLF001 - as above

    def run_until(self, body: Coroutine[Any, Any, T]) -> T:
        """Run something that waits for nothing, and return its value."""
        task = self.create_task(body)
        self.drain()
        return cast("T", task.result())

    def create_task(self, coro: Coroutine[Any, Any, Any], **options: Any) -> asyncio.Task[Any]:  # type: ignore[override]
        """Start a task, and tell whom it belongs to."""
        task: asyncio.Task[Any] = super().create_task(coro, **options)
        owner = OWNER.get(None)
        if owner is not None:
            owner.adopt(task)
        return task

    def run_in_executor(self, _executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Do it at once."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - it belongs to whoever awaits it
            future.set_exception(error)
        return future

    def call_soon_threadsafe(self, callback: Callable[..., Any], *args: Any, **options: Any) -> events.Handle:  # type: ignore[override]
        """Run it soon; there are no other threads."""
        return self.call_soon(callback, *args, **options)

    def _process_events(self, event_list: Sequence[object]) -> None:
        """Do nothing: nothing comes from outside."""

    def _write_to_self(self) -> None:
        """Do nothing: the loop never sleeps."""

    def _fault(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, KilledError):
            self.faults.append(f"{context['message']}: {error!r}")
