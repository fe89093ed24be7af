"""From a scope to the repository, and from a Work to what its item asks for now."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from bot.clock import Millis
from bot.domain.scope import repository_scope
from bot.domain.work import Work
from bot.errors import StorageError, TrackerMissingError, TrackerUnavailableError
from bot.host.places import Places, Wanted
from bot.storage.contract import Tx
from bot.trackers.contract import Issue, Person, ReadThreads
from tests.factories import make_work, put_place
from tests.playbook.samples import small
from tests.storage.twice import Writable

PLAYBOOK = small()
ISSUE = Issue(
    number=1,
    title="Fix the greeting",
    body="It says wrold.",
    open=True,
    locked=False,
    labels=("bug", "run:tidy"),
    author=Person(id=7, login="dana"),
    is_pull_request=False,
    updated_at=Millis(0),
    url="https://tracker.test/owner-1/repo-1/issues/1",
)


class Shelf:
    """A tracker with one issue, or with an error in its place."""

    def __init__(self, found: Issue | Exception) -> None:
        self.found = found

    async def issue(self, repository: str, number: int) -> Issue:
        assert (repository, number) == ("owner-1/repo-1", 1)
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    async def repository(self, full_name: str) -> None:
        assert full_name == "owner-1/repo-1"


@pytest.fixture
async def places(store: Writable[Tx]) -> Places:
    await store.write(put_place)
    return Places(store)


def wanted(places: Places, found: Issue | Exception) -> Wanted:
    return Wanted(places, cast("ReadThreads", Shelf(found)))


@pytest.fixture
def work() -> Work:
    return make_work(playbook="tidy")


async def test_a_scope_has_the_name_that_was_last_seen(places: Places) -> None:
    assert await places.name(repository_scope(1)) == "owner-1/repo-1"


async def test_a_scope_that_was_never_seen_has_none(places: Places) -> None:
    with pytest.raises(StorageError, match="the scope repository:2 was never seen"):
        await places.name(repository_scope(2))


async def test_an_open_issue_with_its_label_is_wanted_as_it_is_now(places: Places, work: Work) -> None:
    found = await wanted(places, ISSUE).current(work, PLAYBOOK)
    assert found is not None
    assert (found.title, found.body, found.author) == ("Fix the greeting", "It says wrold.", "dana")


async def test_the_revision_changes_with_the_text_only(places: Places, work: Work) -> None:
    """An approval is bound to it: comments and labels must not undo one, and an edit must."""
    first = await wanted(places, ISSUE).current(work, PLAYBOOK)
    labelled = await wanted(places, replace(ISSUE, labels=("run:tidy",), locked=True)).current(work, PLAYBOOK)
    edited = await wanted(places, replace(ISSUE, body="Delete it all.")).current(work, PLAYBOOK)
    assert first == labelled
    assert first is not None
    assert edited is not None
    assert first.revision != edited.revision


@pytest.mark.parametrize(
    "found",
    [replace(ISSUE, open=False), replace(ISSUE, labels=("bug",)), TrackerMissingError("it was moved away")],
    ids=["closed", "label off", "gone"],
)
async def test_an_item_that_does_not_ask_for_it_any_more_is_not_wanted(
    places: Places, work: Work, found: Issue | Exception
) -> None:
    # ag-F01
    assert await wanted(places, found).current(work, PLAYBOOK) is None


async def test_a_tracker_that_is_down_decides_nothing(places: Places, work: Work) -> None:
    """Work must not be cancelled because nobody could be asked."""
    with pytest.raises(TrackerUnavailableError):
        await wanted(places, TrackerUnavailableError("down")).current(work, PLAYBOOK)
