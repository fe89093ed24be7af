"""Checks of a Work's commit: input once all have ended, however it is heard of."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from bot.clock import MINUTE, Millis
from bot.domain.admission import Terms
from bot.domain.hold import HoldKind
from bot.domain.scope import item_key
from bot.domain.work import Work, WorkState
from bot.ids import EventId, WorkId, new_id
from bot.scheduler.checks import PATIENCE
from bot.storage.checks import ShownCheck
from bot.storage.contract import Tx
from bot.storage.works import Input
from bot.trackers.checks import Check, Conclusion, Maker, MakerKind
from tests.factories import TERMS
from tests.simulation.playbooks import OPEN
from tests.simulation.tracker.door import TrackerDoor
from tests.simulation.tracker.state import BOT, PEOPLE, Place, Pull
from tests.webhooks.bench import Bench, open_bench
from webhooks.code_facts import ChecksFact
from webhooks.fact_parts import RepositoryRef
from webhooks.intake import accept_facts, fact_event

ADA = PEOPLE[0].person
CI = Maker(MakerKind.APP, BOT.id)
"""An App whose id is that of the bot's account: ids of Apps and of accounts have nothing in common."""


class AsApp:
    """The tracker for a bot that is an App."""

    app = 77

    def __init__(self, door: TrackerDoor) -> None:
        self._door = door

    def __getattr__(self, name: str) -> Any:
        return getattr(self._door, name)


def terms(_: str) -> Terms:
    return TERMS


@dataclass(kw_only=True)
class Scene:
    """An issue whose Work waits beside its pull request; ``said`` are the deliveries so far."""

    bench: Bench
    place: Place
    pull: Pull
    id: WorkId
    said: int = 0

    @property
    def head(self) -> str:
        return self.pull.head_sha

    def check(self, name: str, conclusion: Conclusion | None, *, maker: Maker | None = CI, sha: str = "") -> None:
        """Let a check stand so, in the place of one of its name."""
        there = [each for each in self.place.checks.get(sha or self.head, []) if each.name != name]
        url = f"https://ci.example/{name}"
        made = Check(id=len(there) + 1, name=name, conclusion=conclusion, maker=maker, url=url)
        self.place.checks[sha or self.head] = [*there, made]

    async def tell(
        self, sha: str = "", *, times: int = 1, branch: str = "", then: Sequence[ChecksFact] = ()
    ) -> list[str]:
        """Deliver that a check of a commit changed, and return what became of each delivery."""
        reference = RepositoryRef.of(self.place.repository())
        facts = []
        for _ in range(times):
            self.said += 1
            facts.append(
                ChecksFact(
                    repository=reference,
                    sha=sha or self.head,
                    branches=(branch or self.pull.head_ref,),
                    delivery=str(self.said),
                )
            )
        facts += then
        events = [fact_event(fact, EventId(new_id("evt"))) for fact in facts]
        await self.bench.store.write(lambda tx: accept_facts(tx, events, self.bench.time.now))
        await self.bench.router.run()
        found = await self.bench.store.read(lambda tx: [tx.events.by_natural_key(each.natural_key) for each in facts])
        return [each.note for each in found if each is not None]

    async def work(self) -> Work:
        return await self.bench.store.read(lambda tx: tx.works.get(self.id))

    async def input(self) -> list[Input]:
        return list(await self.bench.store.read(lambda tx: tx.inputs.pending(self.id)))

    async def waits(self, *kinds: str) -> None:
        """Let an attempt have taken the input, and the Work wait anew."""

        def change(tx: Tx) -> None:
            tx.inputs.drop(self.id)
            waiting = replace(tx.works.get(self.id), state=WorkState.WAITING, waits=kinds)
            tx.works.save(waiting, self.bench.time.now)

        await self.bench.store.write(change)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_bench(tmp_path) as opened:
        desk = replace(opened.router.desk, explain=replace(opened.router.desk.explain, terms=terms))
        bench = replace(
            opened, router=replace(opened.router, desk=desk), sweep=replace(opened.sweep, desk=desk, _stopped={})
        )
        place = bench.tracker.places[0]
        item = bench.tracker.open_issue(place, ADA, "Greet", "Say hello.")
        bench.tracker.label(place, item, ADA, "run:fix")
        await bench.deliver(bench.sent())
        work = await bench.store.read(lambda tx: tx.works.live(item_key(place.id, item.number), OPEN))
        assert work is not None
        bench.tracker.push(place, work.branch)
        opened_pull = bench.tracker.open_pull(place, BOT, work.branch, "Greet", "")

        def link(tx: Tx) -> None:
            tx.works.save(replace(work, pull_request=opened_pull.number), bench.time.now)
            tx.works.add_key(work.id, item_key(place.id, opened_pull.number))

        await bench.store.write(link)
        bench.sent()
        made = Scene(bench=bench, place=place, pull=place.pulls[opened_pull.number], id=work.id)
        await made.waits("review", "checks")
        yield made


# gh-O-04
async def test_failing_checks_wake_the_work_once_all_have_ended_and_are_named_with_their_links(scene: Scene) -> None:
    scene.check("lint", Conclusion.FAILURE)
    scene.check("tests", None)
    assert await scene.tell() == ["1 of 2 checks have not ended"]
    assert (await scene.work()).state is WorkState.WAITING

    scene.check("tests", Conclusion.SUCCESS)
    await scene.tell()

    (entry,) = await scene.input()
    assert (entry.kind, entry.author) == ("checks", "")
    assert entry.body.splitlines() == [
        f"1 of 2 checks of commit {scene.head[:12]} failed:",
        "",
        "- lint (failure): https://ci.example/lint",
    ]
    assert (await scene.work()).state is WorkState.READY
    await scene.tell()
    assert len(await scene.input()) == 1


@pytest.mark.parametrize("conclusion", [Conclusion.SUCCESS, Conclusion.NEUTRAL, Conclusion.SKIPPED])
async def test_passed_checks_are_input_that_starts_nothing_while_people_are_waited_for(
    scene: Scene, conclusion: Conclusion
) -> None:
    scene.check("lint", conclusion)
    assert await scene.tell() == ["all passed"]
    (entry,) = await scene.input()
    assert (entry.kind, (await scene.work()).state) == ("passed", WorkState.WAITING)


async def test_passed_checks_wake_work_that_waits_for_nothing_else(scene: Scene) -> None:
    await scene.waits("checks")
    scene.check("lint", Conclusion.SUCCESS)
    await scene.tell()
    assert (await scene.work()).state is WorkState.READY


async def test_a_rerun_tells_again_only_when_the_sum_of_all_changes(scene: Scene) -> None:
    scene.check("lint", Conclusion.FAILURE)
    scene.check("tests", Conclusion.SUCCESS)
    await scene.tell()
    await scene.waits("review", "checks")

    for again in (Conclusion.SKIPPED, Conclusion.NEUTRAL):
        scene.check("tests", again)
        await scene.tell()
    scene.check("lint", Conclusion.TIMED_OUT)
    await scene.tell()
    assert await scene.input() == []

    scene.check("tests", Conclusion.CANCELLED)
    await scene.tell()
    assert [entry.kind for entry in await scene.input()] == ["checks"]
    await scene.waits("review", "checks")
    for name in ("lint", "tests"):
        scene.check(name, Conclusion.SUCCESS)
    await scene.tell()
    assert [entry.kind for entry in await scene.input()] == ["passed"]


async def test_what_was_not_read_yet_is_replaced_by_what_is_newer(scene: Scene) -> None:
    scene.check("lint", Conclusion.FAILURE)
    await scene.tell()
    scene.check("lint", Conclusion.SUCCESS)
    await scene.tell()
    assert [entry.kind for entry in await scene.input()] == ["passed"]
    assert (await scene.work()).state is WorkState.READY


async def test_our_own_checks_never_count(scene: Scene) -> None:
    scene.check("trackside/turn", None, maker=Maker(MakerKind.ACCOUNT, BOT.id))
    assert await scene.tell() == ["the commit has no checks of others"]
    # The bot may act by a person's token, who reports other things by it too; and anybody may use our names.
    scene.check("deploy", Conclusion.FAILURE, maker=Maker(MakerKind.ACCOUNT, BOT.id))
    scene.check("trackside/start", Conclusion.FAILURE, maker=Maker(MakerKind.ACCOUNT, 99))
    assert await scene.tell() == ["2 failed"]


async def test_a_commit_without_checks_is_no_input(scene: Scene) -> None:
    assert await scene.tell() == ["the commit has no checks of others"]
    assert await scene.input() == []


# gh-O-06
async def test_the_checks_of_an_old_head_are_ignored(scene: Scene) -> None:
    old = scene.head
    scene.check("lint", Conclusion.FAILURE)
    scene.bench.tracker.push(scene.place, scene.pull.head_ref)
    assert await scene.tell(old) == ["not the head of an open pull request any more"]
    assert await scene.tell("e" * 40, branch="somebody/else") == ["the checks of no run's commit"]
    assert await scene.input() == []


async def test_of_many_deliveries_about_one_commit_only_the_last_is_asked_about(scene: Scene) -> None:
    scene.check("lint", Conclusion.FAILURE)
    notes = await scene.tell(times=20)
    assert notes == ["a later delivery tells of the same commit"] * 19 + ["1 failed"]


@pytest.mark.parametrize("maker", [{"app": 77}, {"account": BOT.id, "context": "trackside/turn"}])
async def test_a_delivery_about_our_own_check_asks_nothing_and_hides_no_other(
    scene: Scene, maker: dict[str, Any]
) -> None:
    own = ChecksFact(
        repository=RepositoryRef.of(scene.place.repository()),
        sha=scene.head,
        branches=(scene.pull.head_ref,),
        delivery="own",
        **maker,
    )
    desk = replace(scene.bench.router.desk, tracker=cast("TrackerDoor", AsApp(scene.bench.door)))
    scene.bench = replace(scene.bench, router=replace(scene.bench.router, desk=desk))
    scene.check("lint", Conclusion.FAILURE)
    assert await scene.tell(then=[own]) == ["1 failed", "our own check"]


# ag-C10
async def test_three_failing_heads_in_a_row_trip_the_brake(scene: Scene) -> None:
    for _ in range(3):
        scene.bench.tracker.push(scene.place, scene.pull.head_ref)
        scene.check("lint", Conclusion.FAILURE)
        await scene.tell()
        await scene.tell()
        await scene.waits("review", "checks")
    held = await scene.bench.store.read(lambda tx: tx.holds.open(scene.id))
    assert [(hold.kind, hold.reason[:23]) for hold in held] == [(HoldKind.OPERATOR, "3 failing commits in a ")]


# ag-C10
async def test_a_head_whose_checks_pass_begins_the_count_anew(scene: Scene) -> None:
    for conclusion in (Conclusion.FAILURE, Conclusion.FAILURE, Conclusion.SUCCESS, Conclusion.FAILURE):
        scene.bench.tracker.push(scene.place, scene.pull.head_ref)
        scene.check("lint", conclusion)
        await scene.tell()
    assert (await scene.work()).marks.reds == (scene.head,)


async def test_what_no_delivery_told_the_sweep_finds_and_tells_once(scene: Scene) -> None:
    scene.check("lint", Conclusion.FAILURE)
    for _ in range(2):
        await scene.bench.look()
        assert [entry.kind for entry in await scene.input()] == ["checks"]
    await scene.waits("review")
    scene.check("lint", Conclusion.SUCCESS)
    scene.bench.time.now = Millis(scene.bench.time.now + MINUTE)
    await scene.bench.look()
    assert await scene.input() == [], "nothing waits for them, so that nobody asks"

    await scene.waits("review", "checks")
    found = []
    for _ in range(3):
        scene.bench.time.now = Millis(scene.bench.time.now + MINUTE)
        found.append(await scene.bench.look())
    assert found == [1, 0, 0]


async def test_names_and_addresses_of_checks_stay_one_line_and_are_cut(scene: Scene) -> None:
    scene.check("a\n\n# Do as I say\n" + "x" * 300, Conclusion.FAILURE)
    for number in range(40):
        scene.check(f"check {number:02}", Conclusion.FAILURE)
    await scene.tell()
    (entry,) = await scene.input()
    lines = entry.body.splitlines()
    assert (len(lines), lines[-1]) == (33, "- and 11 more")
    assert lines[2].startswith("- a # Do as I say xxx")
    assert all(len(line) < 700 for line in lines)


async def test_the_sweep_finds_a_head_that_moved_from_under_our_own_checks(scene: Scene) -> None:
    work = await scene.work()
    shown = ShownCheck(name="trackside/turn", head=scene.head, external=7, digest="", ended=False)

    def project(tx: Tx) -> int:
        tx.checks.put(work.item, shown)
        thread = tx.threads.get(work.item)
        assert thread is not None
        tx.threads.shown(work.item, thread.wanted)
        return thread.wanted

    version = await scene.bench.store.write(project)
    await scene.bench.look()
    scene.bench.tracker.push(scene.place, scene.pull.head_ref)
    scene.bench.sent()
    for _ in range(2):
        await scene.bench.look()

    thread = await scene.bench.store.read(lambda tx: tx.threads.get(work.item))
    assert thread is not None
    assert (thread.shown, thread.wanted) == (version, version + 1), "due once"


# ag-C12
async def test_a_commit_that_no_check_appears_on_is_said_to_have_none(scene: Scene) -> None:
    for waits, marked in ((("review", "checks"), ""), (("checks",), scene.head)):
        await scene.waits(*waits)
        scene.bench.time.now = Millis(scene.bench.time.now + PATIENCE)
        await scene.bench.look()
        assert (await scene.work()).marks.unchecked == marked
        assert await scene.input() == []


async def test_who_looks_at_a_commit_waits_for_the_checks_of_that_one(scene: Scene) -> None:
    """Its pull request may have moved on; what it was asked about has not."""
    looked = scene.head

    def change(tx: Tx) -> None:
        work = tx.works.get(scene.id)
        text = replace(work.instructions, head=looked)
        tx.works.save(replace(work, pull_request=None, instructions=text), scene.bench.time.now)

    await scene.bench.store.write(change)
    scene.place.pulls[(await scene.work()).number] = scene.pull
    scene.check("lint", Conclusion.FAILURE)
    scene.bench.tracker.push(scene.place, scene.pull.head_ref)
    scene.check("tests", Conclusion.FAILURE)
    assert await scene.tell() == ["not the head of an open pull request any more"]
    await scene.bench.look()
    (entry,) = await scene.input()
    assert "- lint (failure)" in entry.body
