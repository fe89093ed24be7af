"""What becomes of a wish for a run: which items a playbook is for, whose authority counts, and what finds the Work."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from bot.domain.branch import is_branch_name
from bot.domain.event import Event, Routing
from bot.domain.permission import Permission
from bot.domain.work import Starter, Work
from bot.playbook.playbook import Playbook
from bot.storage.contract import Store, Tx
from bot.trackers.contract import Issue, PullRequest
from tests.clock import START
from tests.factories import put_event, put_place
from tests.playbook.samples import small
from tests.storage.twice import Writable
from tests.views.test_instructions import DIFF, ISSUE, PULL
from webhooks.desk import Desk, Routed
from webhooks.fact_parts import RepositoryRef
from webhooks.handlers.starting import Wish, start

HERE = RepositoryRef(id=1, owner="owner-1", owner_id=1, name="repo-1")
ISSUES = small()
PULLS = small(("kind: work-issue", "kind: review-pr"), (", publish: pull-request", ""))
OPEN = small(
    ("kind: work-issue", "kind: review-pr"),
    (", publish: pull-request", ""),
    ("gates: [{name: start, need: 1, permission: write}]", "gates: []"),
)
ADA = Starter(id=8, login="ada")


@dataclass(kw_only=True)
class Place:
    """A desk over one item: an issue, or a pull request."""

    store: Store
    item: Issue = field(default_factory=lambda: replace(ISSUE, labels=("run:tidy",)))
    pull: PullRequest = PULL
    granted: Permission = Permission.WRITE

    @property
    def tracker(self) -> Place:
        return self

    @property
    def authority(self) -> Place:
        return self

    async def issue(self, repository: str, number: int) -> Issue:
        assert (repository, number) == (HERE.full_name, 3)
        return self.item

    async def pull_request(self, repository: str, number: int) -> PullRequest:
        assert (repository, number) == (HERE.full_name, 3)
        return self.pull

    async def diff(self, repository: str, number: int) -> bytes | None:
        assert (repository, number) == (HERE.full_name, 3)
        return DIFF

    async def permission(self, repository: RepositoryRef, person: Starter) -> Permission:
        assert (repository, person) == (HERE, ADA)
        return self.granted


@pytest.fixture
async def place(store: Writable[Tx]) -> Place:
    await store.write(put_place)
    return Place(store=store)


async def wished(place: Place, playbook: Playbook = PULLS, *, by_label: bool = True, key: str = "labelled") -> Routed:
    """Have a run wished for, and return what became of it."""
    event: Event = await place.store.write(lambda tx: put_event(tx, key, now=START))
    wish = Wish(event=event, repository=HERE, number=3, playbook=playbook, starter=ADA, by_label=by_label)
    change = await start(cast("Desk", place), wish)
    return await place.store.write(lambda tx: change(tx, START))


async def work_of(place: Place) -> Work:
    (work,) = await place.store.read(lambda tx: tx.works.all_live())
    return work


async def replies(place: Place) -> int:
    return len(await place.store.read(lambda tx: tx.notes.pending()))


async def test_a_pull_request_is_looked_at_at_the_head_that_it_has(place: Place) -> None:
    assert (await wished(place)).routing is Routing.ROUTED
    work = await work_of(place)
    assert (work.kind, work.number, work.pull, work.pull_request) == ("review-pr", 3, 3, None)
    assert (work.instructions.head, work.instructions.author) == (PULL.head_sha, "dana")
    assert is_branch_name(work.branch)


# ag-D12
@pytest.mark.parametrize(("from_fork", "keys"), [(False, ["branch:1/feature", "item:1/3"]), (True, ["item:1/3"])])
async def test_a_branch_of_the_repository_is_not_taken_for_that_of_a_fork(
    place: Place,
    from_fork: bool,  # noqa: FBT001 - a parameter of the table
    keys: list[str],
) -> None:
    place.pull = replace(PULL, from_fork=from_fork)
    await wished(place)
    work = await work_of(place)
    assert sorted(await place.store.read(lambda tx: tx.works.keys(work.id))) == keys


@pytest.mark.parametrize(("playbook", "pull"), [(ISSUES, True), (PULLS, False)], ids=["issues", "pull requests"])
async def test_a_playbook_for_the_other_kind_of_item_starts_nothing_and_one_reply_says_so(
    place: Place,
    playbook: Playbook,
    pull: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    place.item = replace(place.item, is_pull_request=pull)
    for key in ("first", "second"):
        assert (await wished(place, playbook, key=key)).routing is Routing.UNMATCHED
    assert await replies(place) == 1


# ag-A14, ag-A07
async def test_a_second_wish_while_it_runs_starts_nothing(place: Place) -> None:
    await wished(place)
    assert "is live already" in (await wished(place, key="again")).note
    await work_of(place)


# ag-D03
async def test_without_a_gate_write_access_is_needed(place: Place) -> None:
    place.granted = Permission.TRIAGE
    assert (await wished(place, OPEN)).routing is Routing.UNMATCHED
    assert await replies(place) == 1
    place.granted = Permission.WRITE
    assert (await wished(place, OPEN, key="later")).routing is Routing.ROUTED


async def test_what_no_label_asks_for_needs_none_and_answers_nobody(place: Place) -> None:
    place.item = replace(place.item, labels=())
    assert (await wished(place)).routing is Routing.UNMATCHED
    assert (await wished(place, by_label=False, key="own")).routing is Routing.ROUTED
    assert (await work_of(place)).by_label is False
    await wished(place, by_label=False, key="twice")
    assert await replies(place) == 0


async def test_who_lost_their_access_stands_for_nothing_any_more(place: Place) -> None:
    place.granted = Permission.READ
    assert (await wished(place, OPEN, by_label=False)).note == "ada may not start this"
    assert await replies(place) == 0


# ag-F02, ag-F03
async def test_a_closed_pull_request_is_not_looked_at(place: Place) -> None:
    place.item = replace(place.item, open=False)
    assert (await wished(place)).routing is Routing.UNMATCHED
