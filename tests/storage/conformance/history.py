"""A database with a past: any number of Works that have ended, beside a few of every kind that live."""

from __future__ import annotations

import secrets
from dataclasses import replace

from bot.clock import MINUTE, Millis
from bot.domain.account import Pause
from bot.domain.control import ControlKind, ControlState
from bot.domain.event import Routing
from bot.domain.execution import Phase
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.result import Ending, Outcome, Result
from bot.domain.turn import Turn
from bot.domain.wait import Dependency
from bot.domain.work import Work
from bot.ids import EventId, ExecutionId, HoldId, TimerId
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Candidate, Claimed, claim
from bot.scheduler.controls import intent
from bot.scheduler.finish import finish
from bot.scheduler.launch import begin, confirm, persist_recovery
from bot.scheduler.observe import store_result
from bot.storage.contract import Tx
from bot.storage.events import Delivery, pack
from bot.storage.holds import Decision
from bot.storage.ledgers import Raise, Staged
from bot.storage.threads import Note, NoteKind, ThreadComment
from tests.clock import START
from tests.factories import make_binding, make_request, make_work, put_event, put_work

LATE = Millis(START + 10 * MINUTE)
TOKEN = secrets.token_hex(8)
BRANCH = "branch:1/fix"


def _open(tx: Tx, number: int) -> Work:
    work = put_work(tx, make_work(number, created_at=Millis(START + number)), keys=(f"item:1/{number}", BRANCH))
    assert work is not None
    return work


def _run(tx: Tx, work: Work, *, token: str = "", pool: str = "agents", launched: bool = True) -> Claimed:
    found = Candidate(work=work, inputs=tuple(tx.inputs.pending(work.id)))
    claimed = claim(tx, make_request(found, binding=make_binding(pool=pool)), START)
    assert isinstance(claimed, Claimed)
    if not launched:
        return claimed
    fence = claimed.execution.fence
    begin(tx, fence, token=token, isolated=False, now=START)
    persist_recovery(tx, fence, {"pid": 1}, START)
    confirm(tx, fence, START)
    return claimed


def _hold(tx: Tx, work: Work, *, kind: HoldKind = HoldKind.GATE, name: str = "gate") -> Hold:
    hold = Hold(
        id=HoldId(f"hld-{name}-{work.id}"),
        work=work.id,
        kind=kind,
        holder="approvals",
        reason="ask",
        revision="r",
        placed_at=START,
    )
    tx.holds.place(hold)
    return hold


def put_ended(tx: Tx, number: int) -> None:
    """Store a Work that was held and approved, ran, and was completed or cancelled, with all its traces."""
    work = _open(tx, number)
    hold = _hold(tx, work)
    tx.decisions.add(
        Decision(
            source=f"comment:{number}",
            hold=hold.id,
            person=7,
            login="grace",
            verb="approve",
            reason="",
            revision="r",
            permission=3,
            decided_at=START,
        )
    )
    tx.holds.settle(hold.id, HoldState.ADMITTED, by="grace", reason="", now=START)
    execution = _run(tx, work, token=f"{TOKEN}-{number}").execution
    fence = execution.fence
    told = intent(ControlKind.INJECT, execution, number, START)
    tx.controls.add(replace(told, state=ControlState.CONSUMED, settled_at=START))
    store_result(tx, fence, Result(ok=True, turn=Turn(status="done")), START)
    if number % 2:
        ending = Ending(outcome=Outcome.COMPLETED, status="done")
        finish(tx, fence, ending, timer=TimerId("unused"), stopped=True, now=START)
    else:
        cancel(tx, work.id, by="ada", reason="no", now=START)
    put_event(tx, f"late-{number}", now=START, routing=Routing.UNMATCHED, keys=(work.item, BRANCH))
    tx.threads.put_comment(work.item, ThreadComment(key="sticky", comment=number, digest="d"))
    thread = tx.threads.get(work.item)
    assert thread is not None
    tx.threads.shown(work.item, thread.wanted)
    tx.notes.add(Note(item=work.item, kind=NoteKind.EYES, source=f"note-{number}"))
    tx.notes.done(next(note for note in tx.notes.pending() if note.source == f"note-{number}"))
    delivery = Delivery(guid=f"g-{number}", event="issues", action="", received_at=START, note="", packed=pack(b"{}"))
    tx.deliveries.record(delivery, [f"late-{number}"])
    _spend(tx, work, number)


def _spend(tx: Tx, work: Work, number: int) -> None:
    """Leave what a Work that was held by a budget, and raised, leaves."""
    ledger = f"usd/work/{work.item}/work-issue/life"
    tx.ledgers.open(ledger, START)
    tx.ledgers.charge(ledger, 5, claimed_at=START)
    tx.ledgers.add_raise(
        Raise(
            source=f"comment:{number}",
            item=work.item,
            playbook="work-issue",
            unit="usd",
            amount=5,
            login="grace",
            raised_at=START,
        )
    )
    held = _hold(tx, work, kind=HoldKind.BUDGET, name="budget")
    tx.holds.settle(held.id, HoldState.RELEASED, by="grace", reason="", now=START)


def _reserve(tx: Tx, work: Work, execution: ExecutionId) -> None:
    ledger = f"usd/work/{work.item}/work-issue/life"
    tx.ledgers.open(ledger, START)
    tx.ledgers.reserve(execution, ledger, 5)
    entry = Staged(
        id=f"{execution}/1",
        execution=execution,
        work=work.id,
        claimed_at=START,
        units={"usd": 1.0},
        staged_at=START,
    )
    tx.ledgers.stage(entry)
    _hold(tx, _open(tx, 90_007), kind=HoldKind.BUDGET)
    tx.ledgers.add_raise(
        Raise(
            source="comment:live",
            item=work.item,
            playbook="work-issue",
            unit="usd",
            amount=5,
            login="grace",
            raised_at=START,
        )
    )


def put_live(tx: Tx) -> None:
    """Store one Work that is ready, one that runs, one that backs off, one that is held, one that stops."""
    _open(tx, 90_001)
    tx.accounts.put(Pause(account="provider", until=LATE, reason="limit", credentials="c", paused_at=START))
    running = _run(tx, _open(tx, 90_002), token=TOKEN, pool="jobs")
    tx.controls.add(intent(ControlKind.INJECT, running.execution, 1, START))
    failed = _run(tx, _open(tx, 90_003)).execution.fence
    ending = Ending(outcome=Outcome.FAILED, summary="it broke")
    finish(tx, failed, ending, timer=TimerId("tmr-live"), stopped=True, now=START)
    _hold(tx, _open(tx, 90_004))
    stopping = _run(tx, _open(tx, 90_005)).work
    cancel(tx, stopping.id, by="ada", reason="no", now=START)
    put_event(tx, "pending", now=START, routing=Routing.PENDING, keys=("item:1/90002",), id=EventId("evt-pending"))
    tx.notes.add(Note(item="item:1/90001", kind=NoteKind.REPLY, source="note-live", body="hi"))
    publishing = _run(tx, _open(tx, 90_006)).execution
    _run(tx, _open(tx, 90_008), launched=False)
    stored = store_result(tx, publishing.fence, Result(ok=True), START)
    tx.executions.write(replace(stored, phase=Phase.PUBLISHING, publish_tries=1), START)
    tx.subscriptions.put(running.work.id, Dependency(key="item:1/90001"))
    # Last: a claim would settle it.
    _reserve(tx, running.work, running.execution.id)


def put_history(tx: Tx, ended: int) -> None:
    """Store so many Works that have ended, and the living ones."""
    for number in range(1, ended + 1):
        put_ended(tx, number)
    put_live(tx)
