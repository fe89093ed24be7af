"""The start pass: every ready Work that admission lets in is claimed, its gates asked before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import structlog

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.admission import CapacityCode, Reason, Refused, Terms
from bot.domain.execution import Binding
from bot.domain.retry import backoff
from bot.domain.scope import owner_id, repository_id
from bot.domain.work import Instructions, Work
from bot.errors import TrackerUnavailableError
from bot.host.bindings import Bindings
from bot.host.drain import Drain
from bot.host.in_force import InForce
from bot.host.kinds import policy_of
from bot.host.places import Places, Wanted
from bot.host.scope_limits import ScopeLimits
from bot.ids import EventId, ExecutionId, HoldId, WorkId, new_id
from bot.playbook.playbook import Playbook
from bot.scheduler.brakes import brake
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import BudgetHeld, Candidate, Claimed, ClaimRequest, candidate, claim, gates_due
from bot.scheduler.gates import Ask, Held, StartGate, ask_gates
from bot.storage.contract import Store, Tx
from bot.storage.works import Ready
from bot.views.capacity import HeldBack, Waiting
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import Wake
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
    in_force: InForce
    scopes: ScopeLimits
    gates: Sequence[StartGate]
    wanted: Wanted
    places: Places
    lease: Lease
    drain: Drain
    launch: Callable[[Claimed], None]
    wake: Callable[[], None]
    _later: dict[WorkId, tuple[int, Millis, Millis]] = field(default_factory=dict)
    _waiting: Waiting = field(default_factory=dict)
    _unanswered: bool = False

    async def run(self) -> None:
        """
        Try every ready Work once, in the order in which it goes.

        Once a pool or a scope is full, the rest of its Work is not even looked at. Nor is any once the tracker does not
        answer: each would wait as long for the same, and with them all passes that come after this one.
        """
        await self.scopes.look()
        bindings = self.in_force.bindings
        ready = await self.store.read(lambda tx: tx.works.ready())
        full: dict[str, HeldBack] = {}
        waiting: dict[WorkId, HeldBack] = {}
        self._unanswered = False
        for work in ready:
            if self.drain.begun or self._unanswered:
                break
            pool = work.pool or bindings.terms(work.playbook).pool
            held = full.get(f"pool {pool}") or full.get(f"scope {work.scope}")
            if held is None:
                refused = await self._try_unless_postponed(work)
                if refused is None or refused.code is None:
                    continue
                held = HeldBack(pool=pool, code=refused.code, detail=refused.detail)
                full[f"scope {work.scope}" if held.code is CapacityCode.SCOPE else f"pool {pool}"] = held
            waiting[work.id] = replace(held, pool=pool)
        self._waiting = waiting
        self._later = {work.id: self._later[work.id] for work in ready if work.id in self._later}

    @property
    def waiting(self) -> Waiting:
        """The ready Work that capacity held back in the last pass."""
        return self._waiting

    async def _try_unless_postponed(self, work: Ready) -> Refused | None:
        tries, failed, until = self._later.get(work.id, (0, Millis(0), Millis(0)))
        # A clock that was set back puts nothing off for longer.
        if failed <= self.clock.now() < until:
            return None
        try:
            refused = await self._try(work)
        except Exception as error:  # noqa: BLE001 - one Work must never stop the pass
            wait = backoff(tries + 1, base=SECOND, most=5 * MINUTE)
            failed = self.clock.now()
            self._later[work.id] = (tries + 1, failed, Millis(failed + wait))
            _log.warning("start_postponed", work=work.id, wait_ms=wait, exc_info=error)
            self._unanswered = isinstance(error, TrackerUnavailableError)
            return None
        self._later.pop(work.id, None)
        return refused

    async def _try(self, work: Ready) -> Refused | None:
        bindings = self.in_force.bindings
        terms = self.scopes.applied(bindings.terms(work.playbook))
        now = self.clock.now()
        found = await self.store.read(lambda tx: candidate(tx, work.id, now, terms=terms))
        if isinstance(found, Refused):
            if found.reason is Reason.BRAKE:
                await self._brake(work.id, terms)
            return found
        if found.parked is None:
            binding, playbook = bindings.of(found.work), bindings.playbooks[work.playbook]
        else:
            # It goes on as it began, also when its playbook is not there any more.
            binding = found.parked.binding
            playbook = Playbook.from_document(binding.playbook)
        current = await self.wanted.current(found.work, playbook)
        if current is None:
            await self._not_wanted(found.work)
            return None
        return await self._claim(found, binding, terms, playbook, bindings, current)

    async def _brake(self, work: WorkId, terms: Terms) -> None:
        hold, event, now = HoldId(new_id("hld")), EventId(new_id("evt")), self.clock.now()
        braked = await self.store.write(lambda tx: brake(tx, work, terms=terms, hold=hold, event=event, now=now))
        if braked is not None:
            _log.warning("braked", work=work, hold=hold)
            self.wake()

    async def _claim(
        self,
        found: Candidate,
        binding: Binding,
        terms: Terms,
        playbook: Playbook,
        bindings: Bindings,
        current: Instructions,
    ) -> Refused | None:
        # What was approved holds for the same change at another commit, which is the one that is looked at then.
        same = found.work.instructions.same_change(current)
        revision = found.work.instructions.revision if same else current.revision
        asked = gates_due(found.work, revision)
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
            revision=revision,
            instructions=current if same else None,
            running=playbook.running,
            asked=asked,
            held=held,
            execution=ExecutionId(new_id("exe")),
            hold=HoldId(new_id("hld")),
            event=EventId(new_id("evt")),
            trigger=policy_of(found.work.kind).trigger(found.inputs),
        )
        if self.drain.begun:
            # A host that is to end claims nothing, however long it was asked about this start (gh-Z-13).
            return None
        now = self.clock.now()

        def change(tx: Tx) -> object:
            answer = claim(tx, request, now)
            if isinstance(answer, Claimed):
                # With the first attempt that needs it to be found again, and with every other (C-21).
                tx.generations.keep(bindings.generation, bindings.document, now)
            return answer

        answer = await self.store.write(change)
        if isinstance(answer, Refused):
            return answer
        self.wake()
        if isinstance(answer, Claimed):
            _log.info("claimed", work=answer.work.id, execution=answer.execution.id, epoch=answer.execution.epoch)
            self.launch(answer)
        elif isinstance(answer, BudgetHeld):
            _log.info("over_budget", work=answer.work.id, reason=answer.reason)
        return None

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
