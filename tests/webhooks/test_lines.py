"""Comments on lines of a pull request: part of their review, however it is heard of."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.clock import MINUTE, Millis
from bot.domain.scope import item_key
from bot.ids import WorkId
from bot.storage.threads import NoteKind
from bot.trackers.contract import Person, Verdict
from bot.views.reply import ReplyCode
from tests.simulation.playbooks import OPEN
from tests.simulation.tracker.state import PEOPLE, Place, Pull
from tests.webhooks.bench import Bench, open_bench

ADA, MAX, RITA = (each.person for each in PEOPLE[:3])


@dataclass(frozen=True, kw_only=True)
class Scene:
    """An issue with live Work that has a pull request, all of it known to the bot."""

    bench: Bench
    place: Place
    pull: Pull
    work: WorkId

    def reviews(self, body: str, *lines: str, by: Person = MAX, verdict: Verdict = Verdict.COMMENTED) -> None:
        self.bench.tracker.review(self.place, self.pull, by, verdict, body, lines)

    async def input(self) -> list[str]:
        return await self.bench.store.read(
            lambda tx: [each.body for each in tx.inputs.pending(self.work) if each.kind == "review"]
        )

    async def replies(self) -> list[str]:
        key = item_key(self.place.id, self.pull.item.number)
        return await self.bench.store.read(
            lambda tx: [note.body for note in tx.notes.pending() if note.item == key and note.kind is NoteKind.REPLY]
        )


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_bench(tmp_path) as bench:
        place = bench.tracker.places[0]
        item = bench.tracker.open_issue(place, ADA, "Greet", "Say hello.")
        bench.tracker.label(place, item, ADA, "run:fix")
        await bench.deliver(bench.sent())

        key = item_key(place.id, item.number)
        pull = await bench.open_pull(place, key, OPEN)
        (work,) = await bench.store.read(lambda tx: tx.works.of_item(key))
        bench.sent()
        yield Scene(bench=bench, place=place, pull=pull, work=work.id)


ON_LINES = "@max commented commit {}\n\nOn `README.md`, line 1:\n\nSay wrold.\n\nOn `README.md`, line 2:\n\nTwice."


def said(scene: Scene) -> str:
    return ON_LINES.format(scene.pull.head_sha[:12])


# gh-P-07
async def test_what_a_review_says_of_lines_is_input_in_one_piece(scene: Scene) -> None:
    scene.reviews("Nearly.", "Say wrold.", "Twice.", verdict=Verdict.CHANGES_REQUESTED)
    await scene.bench.deliver(scene.bench.sent())
    words = said(scene).replace("commented", "requested changes").replace("\n\nOn", "\n\nNearly.\n\nOn", 1)
    assert await scene.input() == [words]


# gh-P-07
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (1,), (2,), ()])
async def test_lines_alone_are_input_whatever_told_of_them(scene: Scene, order: tuple[int, ...]) -> None:
    """Where no delivery tells at all, the sweep does."""
    scene.reviews("", "Say wrold.", "Twice.")
    sent = scene.bench.sent()
    assert [each.event for each in sent] == ["pull_request_review", *["pull_request_review_comment"] * 2]
    await scene.bench.deliver([sent[place] for place in order])
    await scene.bench.look()
    assert await scene.input() == [said(scene)]


async def test_polling_finds_them_too(scene: Scene) -> None:
    await scene.bench.poll.run(scene.place.full_name)
    await scene.bench.router.run()
    scene.bench.time.now = Millis(scene.bench.time.now + MINUTE)
    scene.reviews("", "Say wrold.", "Twice.")
    assert await scene.bench.poll.run(scene.place.full_name) == 1
    await scene.bench.router.run()
    assert await scene.input() == [said(scene)]


async def test_a_review_with_many_lines_is_asked_for_once(scene: Scene) -> None:
    scene.reviews("", *map(str, range(20)))
    sent = scene.bench.sent()
    await scene.bench.deliver(sent[1:])
    assert len(await scene.input()) == 1
    assert scene.bench.door.reads["reviews"] == 1


# gh-P-07, gh-P-09
async def test_a_command_on_a_line_is_answered_and_not_carried_out(scene: Scene) -> None:
    scene.reviews("", "/cancel now")
    await scene.bench.deliver(scene.bench.sent())
    assert not (await scene.bench.store.read(lambda tx: tx.works.get(scene.work))).state.final
    (reply,) = await scene.replies()
    assert ReplyCode.ON_A_LINE.value in reply
    assert len(await scene.input()) == 1, "as words it is heard"


# gh-P-07
async def test_a_command_in_the_text_of_a_review_is_carried_out(scene: Scene) -> None:
    scene.reviews("/cancel now")
    await scene.bench.deliver(scene.bench.sent())
    assert (await scene.bench.store.read(lambda tx: tx.works.get(scene.work))).state.final


async def test_lines_of_somebody_who_may_not_write_are_no_input(scene: Scene) -> None:
    scene.reviews("", "Say wrold.", by=RITA)
    await scene.bench.deliver(scene.bench.sent())
    await scene.bench.look()
    assert await scene.input() == []
    assert await scene.replies() == []


async def test_a_review_that_says_nothing_at_all_wakes_nobody(scene: Scene) -> None:
    scene.reviews("")
    await scene.bench.deliver(scene.bench.sent())
    assert await scene.input() == []


@pytest.mark.parametrize("told", [True, False])
async def test_a_review_that_is_rewritten_or_dismissed_is_one_fact_however_it_is_found(
    scene: Scene, *, told: bool
) -> None:
    scene.reviews("Nearly.", verdict=Verdict.CHANGES_REQUESTED)
    await scene.bench.deliver(scene.bench.sent())
    (review,) = scene.pull.reviews
    for step in ("rewritten", "dismissed"):
        if step == "rewritten":
            scene.bench.tracker.rewrite_review(scene.place, scene.pull, review, "Not at all.")
        else:
            scene.bench.tracker.dismiss(scene.place, scene.pull, scene.pull.reviews[0])
        sent = scene.bench.sent()
        if told:
            await scene.bench.deliver(sent)
        assert await scene.bench.sweep.run(scene.place.full_name) == (0 if told else 1)
        assert await scene.bench.sweep.run(scene.place.full_name) == 0
        await scene.bench.router.run()
        await scene.bench.deliver(sent)
    key = item_key(scene.place.id, scene.pull.item.number)
    found = await scene.bench.store.read(lambda tx: [each.natural_key for each in tx.events.with_key(key)])
    parts = [each.split("/") for each in found if each.startswith("review:")]
    assert sorted(part[2] if len(part) > 2 else "" for part in parts) == ["", "dismissed", "edited"]
