"""A repository or a label that is called otherwise, and a label that is gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.domain.event import NewEvent, Routing
from bot.domain.scope import item_key, repository_scope
from bot.domain.work import Work
from bot.host.places import Places, Wanted
from bot.ids import EventId, new_id
from bot.storage.contract import Tx
from tests.simulation.playbooks import OPEN, playbooks
from tests.simulation.tracker.state import PEOPLE, Item, Place
from tests.webhooks.bench import Bench, open_bench
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import Fact
from webhooks.handlers.reach import SWEEP_ASKED
from webhooks.handlers.repositories import labels_changed
from webhooks.intake import accept_facts, fact_event
from webhooks.reach import ReachFact
from webhooks.repository_facts import LabelFact, MovedFact, WorkflowFact

ADA = PEOPLE[0].person
LABEL = "run:fix"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """An issue with live Work that its label has started."""

    bench: Bench
    place: Place
    item: Item

    @property
    def repository(self) -> RepositoryRef:
        return RepositoryRef.of(self.place.repository())

    async def hear(self, fact: Fact) -> str:
        """Accept and route a fact; return what became of it."""
        event: NewEvent = fact_event(fact, EventId(new_id("evt")))
        await self.bench.store.write(lambda tx: accept_facts(tx, [event], self.bench.time.now))
        await self.bench.router.run()
        found = await self.bench.store.read(lambda tx: tx.events.get(event.id))
        assert found is not None
        assert found.routing in {Routing.ROUTED, Routing.UNMATCHED}
        return found.note

    async def rename_label(self, before: str, name: str) -> None:
        """Rename the label as people do, and hear of it."""
        self.item.labels = [name if each == before else each for each in self.item.labels]
        await self.hear(LabelFact(repository=self.repository, before=before, name=name, delivery=new_id("d")))

    async def delete_label(self, name: str) -> str:
        self.item.labels = [each for each in self.item.labels if each != name]
        return await self.hear(LabelFact(repository=self.repository, before=name, name=None, delivery=new_id("d")))

    async def work(self) -> Work:
        key = item_key(self.place.id, self.item.number)
        (found,) = await self.bench.store.read(lambda tx: tx.works.of_item(key))
        return found

    async def wanted(self) -> bool:
        wanted = Wanted(Places(self.bench.store), self.bench.door)
        return await wanted.current(await self.work(), playbooks()[OPEN]) is not None


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_bench(tmp_path) as bench:
        place = bench.tracker.places[0]
        item = bench.tracker.open_issue(place, ADA, "Greet", "Say hello.")
        bench.tracker.label(place, item, ADA, LABEL)
        await bench.deliver(bench.sent())
        yield Scene(bench=bench, place=place, item=item)


# ag-F10
async def test_a_trigger_that_is_renamed_ends_nothing_and_starts_nothing(scene: Scene) -> None:
    await scene.rename_label(LABEL, "agent")
    assert await scene.wanted()
    other = scene.bench.tracker.open_issue(scene.place, ADA, "Other", "")
    scene.bench.tracker.label(scene.place, other, ADA, "agent")
    await scene.bench.deliver(scene.bench.sent())
    key = item_key(scene.place.id, other.number)
    assert await scene.bench.store.read(lambda tx: tx.works.of_item(key)) == []
    await scene.rename_label("agent", "robot")
    assert await scene.wanted(), "renamed twice"
    await scene.rename_label("robot", LABEL)
    assert await scene.wanted(), "and back"


# ag-F10
async def test_another_label_of_the_old_name_wants_nothing(scene: Scene) -> None:
    """The renamed label is taken off; the one that has its name later is a stranger."""
    await scene.rename_label(LABEL, "agent")
    scene.item.labels.remove("agent")
    assert not await scene.wanted()
    await scene.delete_label("agent")
    scene.item.labels.append("agent")
    assert not await scene.wanted()


# ag-F10
@pytest.mark.parametrize("renamed", [False, True])
async def test_a_trigger_that_is_deleted_ends_its_work_with_that_reason(scene: Scene, *, renamed: bool) -> None:
    name = LABEL
    if renamed:
        name = "agent"
        await scene.rename_label(LABEL, name)
    note = await scene.delete_label(name)
    assert note == f"{name} was deleted; Work cancelled: 1"
    assert (await scene.work()).state.final
    assert await scene.delete_label(name) == f"{name} was deleted", "said once"


# ag-F10, ag-J16
async def test_a_label_of_a_state_that_is_renamed_or_deleted_is_shown_anew(scene: Scene) -> None:
    key = item_key(scene.place.id, scene.item.number)

    def shown(tx: Tx) -> None:
        thread = tx.threads.get(key)
        assert thread is not None
        tx.threads.shown(key, thread.wanted)

    for change in (scene.rename_label("fix:running", "running"), scene.delete_label("hold:gate")):
        await scene.bench.store.write(shown)
        await change
        assert [
            each.item for each in await scene.bench.store.read(lambda tx: tx.threads.due(scene.bench.time.now))
        ] == [key]
    assert not (await scene.work()).state.final
    mark = await scene.bench.store.read(lambda tx: tx.cursors.get(labels_changed(scene.place.full_name)))
    assert mark, "so that labels of triggers are made anew too"


# gh-K-09, ag-F06
async def test_a_repository_is_called_by_its_new_name_and_its_work_goes_on(scene: Scene) -> None:
    before = (await scene.work()).item
    moved = replace(scene.repository, owner="zoo", owner_id=77, name="farm")
    assert await scene.hear(MovedFact(repository=moved, delivery="d-1")) == "the repository is zoo/farm now"
    work = await scene.work()
    assert (work.item, work.state.final) == (before, False)
    assert await Places(scene.bench.store).name(work.scope) == "zoo/farm"
    line = await scene.bench.store.read(lambda tx: tx.scopes.line(work.scope))
    assert any("77" in scope for scope in line), "the limits of its new owner hold"


async def test_a_repository_that_is_not_known_is_not_made_known_by_its_name(scene: Scene) -> None:
    stranger = RepositoryRef(id=999, owner="zoo", owner_id=77, name="farm")
    await scene.hear(MovedFact(repository=stranger, delivery="d-1"))
    assert await scene.bench.store.read(lambda tx: tx.scopes.get(repository_scope(999))) is None


# gh-K-09
async def test_a_new_name_of_which_nothing_told_is_found_by_the_sweep_and_the_settings_are_said_to_be_old(
    scene: Scene,
) -> None:
    old = scene.place.full_name
    scene.bench.door.moved[old] = "acme/renamed"
    scene.place.name = "renamed"
    with capture_logs() as logs:
        for _ in range(2):
            await scene.bench.sweep.run(old)
    assert await Places(scene.bench.store).name((await scene.work()).scope) == "acme/renamed"
    (line,) = [each for each in logs if each["event"] == "repository_renamed"]
    assert (line["configured"], line["now"]) == (old, "acme/renamed")
    assert "repositories" in line["cure"]


async def test_access_that_is_given_back_asks_for_a_sweep(scene: Scene) -> None:
    # ag-F13
    await scene.hear(ReachFact(owner=9, repositories=(), delivery="d-7"))
    assert await scene.bench.store.read(lambda tx: tx.cursors.get(SWEEP_ASKED)) == "d-7"


async def test_a_run_of_a_workflow_is_recorded_and_wakes_nobody(scene: Scene) -> None:
    before = await scene.work()
    fact = WorkflowFact(
        repository=scene.repository,
        run=7,
        attempt=1,
        job=None,
        sha="a" * 40,
        branch=before.branch,
        state="completed",
        conclusion="success",
    )
    assert await scene.hear(fact) == "recorded: nothing waits for run 7"
    assert await scene.work() == before
