from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from bot.domain.event import Event, Routing
from bot.errors import TrackerMissingError, TrackerUnavailableError
from bot.storage.contract import Tx
from bot.trackers.contract import Repository
from tests.clock import FakeClock
from tests.simulation.times import TrueTime
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.state import PEOPLE, Place
from tests.webhooks.bench import open_bench
from webhooks.fact_parts import RepositoryRef
from webhooks.served import FRESH, Served

ADA = PEOPLE[0].person
SHOP = RepositoryRef(id=7, owner="acme", owner_id=70, name="shop")
STORE = RepositoryRef(id=7, owner="acme", owner_id=70, name="store")
STRANGER = RepositoryRef(id=8, owner="acme", owner_id=70, name="other")


@dataclass
class Names:
    """Where names lead to; one that is not there is missing."""

    ids: dict[str, int] = field(default_factory=dict)
    down: bool = False
    asked: Counter[str] = field(default_factory=Counter)

    async def repository(self, full_name: str) -> Repository:
        self.asked[full_name] += 1
        if self.down:
            raise TrackerUnavailableError("the tracker cannot be reached")
        if full_name not in self.ids:
            raise TrackerMissingError(f"there is no {full_name}")
        owner, _, name = full_name.partition("/")
        return Repository(
            id=self.ids[full_name], owner=owner, owner_id=70, name=name, default_branch="main", clone_url=""
        )


@pytest.fixture
def names() -> Names:
    return Names(ids={"acme/shop": 7})


@pytest.fixture
def served(names: Names, clock: FakeClock) -> Served:
    return Served(names, clock, ["Acme/Shop", "acme/shop", "acme/gone"])


def _routed(routing: Routing, tx: Tx) -> Sequence[Event]:
    return tx.events.by_routing(routing)


async def test_only_the_repositories_of_the_configuration_are_served(served: Served) -> None:
    # ag-F08
    assert await served.serves(SHOP)
    assert not await served.serves(STRANGER)


async def test_a_renamed_repository_is_served_by_its_id(served: Served, names: Names) -> None:
    # gh-K-09
    assert await served.serves(STORE)
    names.ids.clear()
    assert await served.serves(STORE), "remembered"


async def test_a_stranger_costs_a_call_for_each_name_now_and_then(
    served: Served, names: Names, clock: FakeClock
) -> None:
    for _ in range(3):
        assert not await served.serves(STRANGER)
    assert names.asked == {"acme/shop": 1, "acme/gone": 1}
    clock.advance(FRESH)
    names.ids["acme/gone"] = STRANGER.id
    assert await served.serves(STRANGER)
    clock.advance(-2 * FRESH)
    names.ids["acme/gone"] = 9
    assert not await served.serves(STRANGER), "a clock that was set back does not make it last"


async def test_what_cannot_be_asked_is_neither_served_nor_a_stranger(served: Served, names: Names) -> None:
    # gh-L-17
    names.down = True
    with pytest.raises(TrackerUnavailableError):
        await served.serves(STRANGER)
    names.down = False
    assert not await served.serves(STRANGER)


async def test_a_label_in_another_repository_starts_nothing_and_makes_nothing_there(tmp_path: Path) -> None:
    # ag-F08, ag-D13, gh-L-17
    tracker = TrackerDesk(time=TrueTime())
    async with open_bench(tmp_path, tracker) as bench:
        other = Place(id=9_001, owner="else", owner_id=9, name="where")
        item = tracker.open_issue(other, ADA, "Greet", "")
        tracker.label(other, item, ADA, "run:fix")
        tracker.comment(other, item, ADA, "/status")
        await bench.deliver(bench.sent())
        assert await bench.store.read(lambda tx: tx.works.all_live()) == []
        assert await bench.store.read(lambda tx: tx.threads.due(tracker.time.now)) == []
        events = await bench.store.read(lambda tx: tx.events.by_routing(Routing.UNMATCHED))
        assert {each.note for each in events} == {"else/where is none of the repositories that are served here"}
        for routing in set(Routing) - {Routing.UNMATCHED}:
            assert not await bench.store.read(partial(_routed, routing))
