"""The start pass: every ready Work that admission lets in is claimed, its gates asked before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.admission import Refused, Terms
from bot.domain.execution import Binding
from bot.domain.retry import backoff
from bot.domain.scope import owner_id, repository_id
from bot.domain.work import Instructions, Work
from bot.host.bindings import Bindings
from bot.host.places import Places, Wanted
from bot.ids import EventId, ExecutionId, HoldId, WorkId, new_id
from bot.playbook.playbook import Playbook
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Candidate, Claimed, ClaimRequest, candidate, claim, gates_due
from bot.scheduler.gates import Ask, Held, StartGate, ask_gates
from bot.storage.contract import Store, Tx
from webhooks.facts import RepositoryRef, Wake
from webhooks.intake import accept_facts, fact_event

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Lease:
    """Who claims, and for how long (milliseconds)."""

    owner: str
    length: int


@dataclass(kw_only=True)
class StartPass:
    """
    Claims ready Work and hands each attempt on.

    A Work whose start fails, because a gate cannot decide or the tracker cannot be asked, is tried again later
    and never stops the others.
    """

    store: Store
    clock: Clock
    bindings: Bindings
    gates: Sequence[StartGate]
    wanted: Wanted
    places: Places
    lease: Lease
    launch: Callable[[Claimed], None]
    wake: Callable[[], None]
    _later: dict[WorkId, tuple[int, Millis]] = field(default_factory=dict)

    async def run(self) -> None:
        """Try every ready Work once."""
        after: Work | None = None
        while page := await self._page(after):
            for work in page:
                await self._try_unless_postponed(work)
            after = page[-1]

    async def _page(self, after: Work | None) -> Sequence[Work]:
        return await self.store.read(lambda tx: tx.works.ready(after=after))

    async def _try_unless_postponed(self, work: Work) -> None:
        tries, until = self._later.get(work.id, (0, Millis(0)))
        if until > self.clock.now():
            return
        try:
            await self._try(work)
        except Exception as error:  # noqa: BLE001 - one Work must never stop the pass
            wait = backoff(tries + 1, base=SECOND, most=5 * MINUTE)
            self._later[work.id] = (tries + 1, Millis(self.clock.now() + wait))
            _log.warning("start_postponed", work=work.id, wait_ms=wait, exc_info=error)
        else:
            self._later.pop(work.id, None)

    async def _try(self, work: Work) -> None:
        binding, terms = self.bindings.of(work), self.bindings.terms(work.playbook)
        now = self.clock.now()
        found = await self.store.read(lambda tx: candidate(tx, work.id, now, terms=terms))
        if isinstance(found, Refused):
            return
        playbook = self.bindings.playbooks[work.playbook]
        current = await self.wanted.current(found.work, playbook)
        if current is None:
            await self._not_wanted(found.work)
            return
        if found.parked is not None:
            binding = found.parked.binding
        await self._claim(found, binding, terms, playbook, current)

    async def _claim(
        self, found: Candidate, binding: Binding, terms: Terms, playbook: Playbook, current: Instructions
    ) -> None:
        asked = gates_due(found.work, current.revision)
        held: Held | None = None
        if asked:
            ask = Ask(work=found.work, binding=binding, first=found.inputs[0], current=current, now=self.clock.now())
            held = await ask_gates(self.gates, ask)
        request = ClaimRequest(
            candidate=found,
            binding=binding,
            terms=terms,
            owner=self.lease.owner,
            lease=self.lease.length,
            revision=current.revision,
            running=playbook.running,
            asked=asked,
            held=held,
            execution=ExecutionId(new_id("exe")),
            hold=HoldId(new_id("hld")),
            event=EventId(new_id("evt")),
        )
        now = self.clock.now()
        answer = await self.store.write(lambda tx: claim(tx, request, now))
        self.wake()
        if isinstance(answer, Claimed):
            _log.info("claimed", work=answer.work.id, execution=answer.execution.id, epoch=1)
            self.launch(answer)

    async def _not_wanted(self, work: Work) -> None:
        """
        End a Work whose item does not ask for it any more.

        The item's history is read first, so that the end can name who took the label off; when it has nothing
        to say, the Work is cancelled all the same.
        """
        name = await self.places.name(work.scope)
        owner, _, repository = name.partition("/")
        identity = EventId(new_id("evt"))
        now = self.clock.now()

        def change(tx: Tx) -> None:
            reference = RepositoryRef(
                id=repository_id(work.scope),
                owner=owner,
                owner_id=owner_id(tx.scopes.line(work.scope)[1]),
                name=repository,
            )
            wake = Wake(repository=reference, number=work.number, delivery=f"unwanted/{work.id}/{work.version}")
            if not accept_facts(tx, [fact_event(wake, identity)], now) and not tx.events.unrouted_for(work.id):
                reason = "the issue is closed or does not carry the label any more"
                cancel(tx, work.id, by="", reason=reason, now=now)

        await self.store.write(change)
