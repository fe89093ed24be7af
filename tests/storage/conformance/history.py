"""A database with a past: any number of Works that have ended, beside a few of every kind that live."""

from __future__ import annotations

import secrets
from dataclasses import replace

from bot.clock import MINUTE, Millis
from bot.domain.event import Routing
from bot.domain.execution import Phase
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.result import Ending, Outcome, Result
from bot.domain.turn import Turn
from bot.domain.work import Work
from bot.ids import EventId, HoldId, TimerId
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Candidate, Claimed, claim
from bot.scheduler.finish import finish
from bot.scheduler.launch import begin, confirm, persist_recovery
from bot.scheduler.observe import store_result
from bot.storage.contract import Tx
from bot.storage.events import Delivery, pack
from bot.storage.holds import Decision
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


def _run(tx: Tx, work: Work, *, token: str = "", pool: str = "agents") -> Claimed:
    found = Candidate(work=work, inputs=tuple(tx.inputs.pending(work.id)))
    claimed = claim(tx, make_request(found, binding=make_binding(pool=pool)), START)
    assert isinstance(claimed, Claimed)
    fence = claimed.execution.fence
    begin(tx, fence, token=token, isolated=False, now=START)
    persist_recovery(tx, fence, {"pid": 1}, START)
    confirm(tx, fence, START)
    return claimed


def _hold(tx: Tx, work: Work) -> Hold:
    hold = Hold(
        id=HoldId(f"hld-{work.id}"),
        work=work.id,
        kind=HoldKind.GATE,
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
    fence = _run(tx, work, token=f"{TOKEN}-{number}").execution.fence
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


def put_live(tx: Tx) -> None:
    """Store one Work that is ready, one that runs, one that backs off, one that is held, one that stops."""
    _open(tx, 90_001)
    _run(tx, _open(tx, 90_002), token=TOKEN, pool="jobs")
    failed = _run(tx, _open(tx, 90_003)).execution.fence
    ending = Ending(outcome=Outcome.FAILED, summary="it broke")
    finish(tx, failed, ending, timer=TimerId("tmr-live"), stopped=True, now=START)
    _hold(tx, _open(tx, 90_004))
    stopping = _run(tx, _open(tx, 90_005)).work
    cancel(tx, stopping.id, by="ada", reason="no", now=START)
    put_event(tx, "pending", now=START, routing=Routing.PENDING, keys=("item:1/90002",), id=EventId("evt-pending"))
    tx.notes.add(Note(item="item:1/90001", kind=NoteKind.REPLY, source="note-live", body="hi"))
    publishing = _run(tx, _open(tx, 90_006)).execution
    stored = store_result(tx, publishing.fence, Result(ok=True), START)
    tx.executions.write(replace(stored, phase=Phase.PUBLISHING, publish_tries=1), START)


def put_history(tx: Tx, ended: int) -> None:
    """Store so many Works that have ended, and the living ones."""
    for number in range(1, ended + 1):
        put_ended(tx, number)
    put_live(tx)
