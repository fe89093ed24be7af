"""Every command by every kind of person: who may not do something changes nothing, and is told so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.domain.hold import HoldKind
from bot.domain.permission import Permission
from bot.domain.scope import item_key
from bot.domain.work import WorkState
from bot.storage.contract import Tx
from bot.storage.threads import NoteKind
from bot.views.reply import Reply, ReplyCode
from tests.simulation.tracker.state import PEOPLE, Member
from tests.webhooks.bench import Bench, open_bench
from webhooks.verbs import VERBS, Verb

LINES = {
    Verb.CANCEL: "/cancel",
    Verb.RETRY: "/retry",
    Verb.STOP: "/stop",
    Verb.HOLD: "/hold wait",
    Verb.RELEASE: "/release",
    Verb.BUDGET: "/budget +1 usd",
}
"""The commands that change something; who may approve and refuse is the hold's own question."""
STARTER = PEOPLE[0].person
State = tuple[WorkState, list[HoldKind]]


CASES = [
    (verb, member)
    for verb in LINES
    for member in PEOPLE
    # Who may raise a budget is told of its terms, of which there are none here.
    if not member.person.bot and (verb is not Verb.BUDGET or member.permission < VERBS[verb].permission)
]


async def spoken(bench: Bench, member: Member, line: str) -> tuple[State, list[Reply]]:
    """Have somebody say something about live Work; return what stands there then, and the replies."""
    place = bench.tracker.places[0]
    item = bench.tracker.open_issue(place, STARTER, "Greet", "Say hello.")
    bench.tracker.label(place, item, STARTER, "run:fix")
    await bench.deliver(bench.sent())
    bench.tracker.comment(place, item, member.person, line)
    await bench.deliver(bench.sent())
    return await bench.store.read(lambda tx: _seen(tx, item_key(place.id, item.number)))


def _seen(tx: Tx, key: str) -> tuple[State, list[Reply]]:
    (work,) = tx.works.of_item(key)
    held = [hold.kind for hold in tx.holds.open(work.id)]
    notes = [note for note in tx.notes.pending() if note.item == key and note.kind is NoteKind.REPLY]
    return (work.state, held), [Reply.from_document(json.loads(note.body)) for note in notes]


# gh-A-16, gh-A-15, ag-D01, ag-F11
@pytest.mark.parametrize(
    ("verb", "member"), CASES, ids=[f"{verb.value}-{member.person.login}" for verb, member in CASES]
)
async def test_a_command_takes_the_permission_that_is_listed(verb: Verb, member: Member, tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        untouched, _ = await spoken(bench, member, "Hello.")
        state, replies = await spoken(bench, member, LINES[verb])
    forbidden = ReplyCode.NOT_ALLOWED in {reply.code for reply in replies}
    assert forbidden is (member.permission < VERBS[verb].permission)
    if forbidden:
        assert state == untouched


# gh-A-15
async def test_whoever_may_read_may_hold_but_not_let_go(tmp_path: Path) -> None:
    reader = next(member for member in PEOPLE if member.permission is Permission.READ)
    async with open_bench(tmp_path) as bench:
        state, _ = await spoken(bench, reader, "/hold wait\n\n/release")
    assert state[1] == [HoldKind.OPERATOR]


# gh-P-02
async def test_a_command_in_the_text_of_an_item_is_none(tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        place = bench.tracker.places[0]
        item = bench.tracker.open_issue(place, STARTER, "/cancel", "/cancel")
        bench.tracker.label(place, item, STARTER, "run:fix")
        bench.tracker.edit(place, item, body="/cancel\n\n/hold")
        await bench.deliver(bench.sent())
        await bench.look()
        (state, held), replies = await bench.store.read(lambda tx: _seen(tx, item_key(place.id, item.number)))
    assert (state, held, replies) == (WorkState.READY, [], [])
