"""Fill the view of a thread from the store, in one query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.approvals.policy import Requirement
from bot.clock import Millis
from bot.domain.admission import Reason
from bot.domain.budget import MICRO, Budget, Per, Period
from bot.domain.execution import Execution
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.timer import TimerKind
from bot.domain.usage import RESERVED_UNITS
from bot.domain.work import Work, WorkState
from bot.errors import PlaybookError, StorageError
from bot.ids import HoldId, WorkId
from bot.playbook.playbook import Playbook
from bot.scheduler.bars import Bar, bars
from bot.storage.contract import Tx
from bot.views import waiting
from bot.views.attempts import ended_attempts
from bot.views.standing import Explain, sentence
from bot.views.thread import (
    DecisionView,
    HeldFor,
    HoldView,
    LabelView,
    RequirementView,
    ThreadState,
    ThreadView,
    UsageView,
    WorkView,
)

_STATES = {
    WorkState.RUNNING: ThreadState.RUNNING,
    WorkState.WAITING: ThreadState.WAITING,
    WorkState.EXHAUSTED: ThreadState.EXHAUSTED,
    WorkState.COMPLETED: ThreadState.COMPLETED,
    WorkState.CANCELLED: ThreadState.CANCELLED,
    WorkState.FAILED: ThreadState.FAILED,
}
_PAUSES = frozenset({Reason.DEFERRED, Reason.PAUSED_ACCOUNT})
_KINDS = {HoldKind.GATE: HeldFor.GATE, HoldKind.BUDGET: HeldFor.BUDGET, HoldKind.OPERATOR: HeldFor.OPERATOR}


@dataclass(frozen=True, kw_only=True)
class Threads:
    """Reads threads, with the playbooks in force and the words of admission."""

    playbooks: Mapping[str, Playbook]
    explain: Explain

    def view(self, tx: Tx, item: str, now: Millis) -> ThreadView:
        """Return what there is to show for an item. Raises ``StorageError`` for one that was never seen."""
        found = tx.items.get(item)
        scope = None if found is None else tx.scopes.get(found.scope)
        if found is None or scope is None:
            raise StorageError(f"the item {item} was never seen")
        latest: dict[str, Work] = {}
        for work in tx.works.of_item(item):
            # A dictionary keeps the place of a key's first writing: sections stay in their first order.
            latest[work.playbook] = work
        return ThreadView(
            item=item,
            repository=scope.name,
            number=found.number,
            sections=tuple(self._work(tx, work, now) for work in latest.values()),
        )

    def _work(self, tx: Tx, work: Work, now: Millis) -> WorkView:
        holds = tx.holds.of_work(work.id)
        moved = {old: _commit(each) for each in holds for old in _carried(each)}
        timer = tx.timers.of_work(work.id, TimerKind.RETRY)
        executions = tx.executions.of_work(work.id)
        playbook = self.playbooks.get(work.playbook) or _pinned(executions)
        refused = self.explain.refusal(tx, work, now)
        paused = refused if refused is not None and refused.reason in _PAUSES else None
        ended = work.state.final
        waits = work.state is WorkState.WAITING
        blocking = waiting.blockers(tx, work) if waits else ()
        if waits:
            next_at = waiting.until(tx, work)
        elif paused is not None:
            next_at = paused.until
        else:
            next_at = None if timer is None else timer.due_at
        status = playbook.statuses.get(work.status or "") if playbook is not None else None
        return WorkView(
            work=work.id,
            playbook=work.playbook,
            run=work.run,
            state=ThreadState.BLOCKED
            if blocking
            else _state(work, holds, retrying=timer is not None, paused=paused is not None),
            status=None if waits and playbook is not None and work.status == playbook.running else work.status,
            status_label=None if status is None else status.label,
            labels=() if playbook is None else _labels(playbook),
            trigger=None if playbook is None or playbook.on is None else playbook.on.label,
            trigger_settled=ended and tx.cursors.get(trigger_mark(work.id)) is not None,
            branch=work.branch,
            pull_request=work.pull_request,
            commit=work.instructions.head,
            merged=work.state is WorkState.COMPLETED and work.ended_by is not None,
            attempt=work.attempts,
            attempts_allowed=1 if playbook is None else len(playbook.retry.delays) + 1,
            started_at=executions[-1].started_at if executions else None,
            next_at=next_at,
            comment=work.comment,
            # What ended by other ways than by its own word has nothing more to say.
            notify=status is not None and status.notify and (status.complete or not ended),
            waits=waiting.kinds(tx, work) if waits else work.waits,
            unchecked=waits and bool(work.marks.unchecked),
            blockers=blocking,
            reason=paused.detail or work.reason if paused is not None else work.reason,
            ended_by=work.ended_by or None,
            failed=work.failures,
            starter=work.starter.login,
            waiting_for="" if refused is None else sentence(refused, work),
            holds=tuple(_hold(tx, hold, moved_to=moved.get(hold.id, "")) for hold in holds),
            gates=() if playbook is None else tuple(gate.name for gate in playbook.gates),
            log=ended_attempts(executions),
            usage=_usage(tx, work, self.explain.terms(work.playbook).budgets, now),
        )


def trigger_mark(work: WorkId) -> str:
    """Return the name of the mark that a run's trigger label was taken off after its end."""
    return f"trigger/{work}"


def _state(work: Work, holds: Sequence[Hold], *, retrying: bool, paused: bool) -> ThreadState:
    if work.gone:
        return ThreadState.GONE
    if work.state in _STATES:
        return _STATES[work.state]
    if any(hold.state is HoldState.OPEN for hold in holds):
        return ThreadState.HELD
    if retrying:
        return ThreadState.RETRYING
    return ThreadState.PAUSED if paused else ThreadState.QUEUED


def _pinned(executions: Sequence[Execution]) -> Playbook | None:
    """Return the playbook that the newest attempt was started with, for a run whose own is not there any more."""
    document = executions[-1].binding.playbook if executions else None
    try:
        return Playbook.from_document(document) if document else None
    except PlaybookError:
        return None


def _labels(playbook: Playbook) -> tuple[LabelView, ...]:
    return tuple(
        LabelView(
            name=status.label,
            color=status.color or "",
            description=status.description,
            completes=status.complete,
        )
        for status in playbook.statuses.values()
        if status.label is not None
    )


def _hold(tx: Tx, hold: Hold, *, moved_to: str) -> HoldView:
    entries = hold.details.get("requirements")
    requirements = [Requirement.from_document(entry) for entry in entries] if isinstance(entries, list) else []
    return HoldView(
        id=hold.id,
        kind=_KINDS[hold.kind],
        reason=hold.reason,
        person=hold.person,
        unit=_raisable_unit(hold),
        revision=hold.revision,
        commit=_commit(hold),
        carried=bool(_carried(hold)),
        moved_to=moved_to,
        requirements=tuple(
            RequirementView(
                need=entry.need,
                permission=entry.permission,
                users=entry.named,
                not_starter=entry.not_starter,
                not_author=entry.not_author,
            )
            for entry in requirements
        ),
        decisions=tuple(
            DecisionView(login=each.login, verb=each.verb, reason=each.reason, decided_at=each.decided_at)
            for counted in (*_carried(hold), hold.id)
            for each in tx.decisions.of_hold(counted)
        ),
        state=hold.state,
        settled_by=hold.settled_by,
        settled_reason=hold.settled_reason,
        settled_at=hold.settled_at,
    )


def _commit(hold: Hold) -> str:
    return str(hold.details.get("head") or "")


def _carried(hold: Hold) -> tuple[HoldId, ...]:
    """Return the holds on the same change at earlier commits, whose decisions count for this one."""
    found = hold.details.get("carried")
    return tuple(map(HoldId, found)) if isinstance(found, list) else ()


def _raisable_unit(hold: Hold) -> str | None:
    """Return what a hold's budget counts, when it is one that can be raised for the issue alone."""
    alone = hold.details.get("per") == Per.WORK.value and hold.details.get("period") == Period.LIFE.value
    return str(hold.details["unit"]) if hold.kind is HoldKind.BUDGET and alone else None


def _usage(tx: Tx, work: Work, budgets: Sequence[Budget], now: Millis) -> UsageView:
    """Return what was used; what a budget of the issue caps is told as its ledger has it, over all runs."""
    capped: dict[str, Bar] = {}
    for bar in bars(tx, work, budgets, now):
        unit = bar.budget.unit
        if bar.budget.raisable and unit not in RESERVED_UNITS and (unit not in capped or bar.max < capped[unit].max):
            capped[unit] = bar
    units = {unit: amount for unit, amount in work.usage.items() if unit != "minutes"}
    units |= {unit: bar.used / MICRO for unit, bar in capped.items()}
    # Begun minutes count, so that a short run does not look as if it had never been.
    minutes = math.ceil(work.usage.get("minutes", 0.0))
    caps = {unit: bar.max / MICRO for unit, bar in capped.items()}
    return UsageView(attempts=work.attempts, turns=work.attempts, minutes=minutes, units=units, caps=caps)
