"""What people just say: it starts nothing, stops nothing, and counts once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.domain.event import Routing
from bot.domain.scope import item_key
from bot.trackers.contract import Person
from tests.simulation.tracker.state import PEOPLE
from tests.webhooks.bench import Bench, open_bench

ADA, MAX, RITA, ZED, OTHER_BOT = (each.person for each in PEOPLE)


async def begun(bench: Bench) -> str:
    """Begin a Work, and return the key of its item."""
    place = bench.tracker.places[0]
    item = bench.tracker.open_issue(place, ADA, "Greet", "Say hello.")
    bench.tracker.label(place, item, ADA, "run:fix")
    await bench.deliver(bench.sent())
    return item_key(place.id, item.number)


# ag-A15
@pytest.mark.parametrize("body", ["done", "Please fix this.", "run:fix", "work on it /approve", "> /approve"])
async def test_a_plain_reply_starts_nothing_whoever_writes_it(tmp_path: Path, body: str) -> None:
    async with open_bench(tmp_path) as bench:
        place = bench.tracker.places[0]
        item = bench.tracker.open_issue(place, ADA, "Greet", "Say hello.")
        bench.tracker.comment(place, item, MAX, body)
        await bench.deliver(bench.sent())
        await bench.look()
        assert await bench.store.read(lambda tx: tx.works.of_item(item_key(place.id, item.number))) == []


# ag-B08
@pytest.mark.parametrize("who", [MAX, RITA, ZED, OTHER_BOT])
async def test_a_comment_that_is_no_command_changes_nothing_of_live_work(tmp_path: Path, who: Person) -> None:
    """Those of people who may write are input; nothing else comes of any."""
    async with open_bench(tmp_path) as bench:
        key = await begun(bench)
        (before,) = await bench.store.read(lambda tx: tx.works.of_item(key))
        place = bench.tracker.places[0]
        bench.tracker.comment(place, place.items[before.number], who, "Thanks! Please stop, cancel, or hold it.")
        await bench.deliver(bench.sent())
        (after,) = await bench.store.read(lambda tx: tx.works.of_item(key))
        said = await bench.store.read(lambda tx: [i for i in tx.inputs.pending(after.id) if i.kind == "comment"])
        assert (after.state, after.status, after.reason) == (before.state, before.status, before.reason)
        assert await bench.store.read(lambda tx: tx.holds.of_work(after.id)) == []
        assert [each.author for each in said] == (["max"] if who is MAX else [])


# gh-D-11
async def test_one_comment_is_handled_once_however_often_it_is_told(tmp_path: Path) -> None:
    """By two hooks, again by the same one, by the sweep, and by the poll."""
    async with open_bench(tmp_path) as bench:
        key = await begun(bench)
        (work,) = await bench.store.read(lambda tx: tx.works.of_item(key))
        place = bench.tracker.places[0]
        comment = bench.tracker.comment(place, place.items[work.number], MAX, "Please say wrold.")
        (told,) = bench.sent()
        by_another = type(told)(guid="other", event=told.event, action=told.action, payload=told.payload)
        await bench.deliver([told, told, by_another])
        await bench.look()
        await bench.poll.run(place.full_name)
        await bench.router.run()
        said = await bench.store.read(lambda tx: [i for i in tx.inputs.pending(work.id) if i.kind == "comment"])
        assert len(said) == 1
        event = await bench.store.read(lambda tx: tx.events.by_natural_key(f"comment:{place.id}/{comment.id}"))
        assert event is not None
        assert event.routing is Routing.ROUTED
