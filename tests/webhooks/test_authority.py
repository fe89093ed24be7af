"""Permissions of people, asked of a tracker that knows accounts by id."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from bot.clock import SECOND
from bot.domain.permission import Permission
from bot.domain.work import Starter
from bot.errors import TrackerError
from tests.clock import FakeClock
from webhooks.authority import FRESH, Authority
from webhooks.fact_parts import RepositoryRef

PLACE = RepositoryRef(id=11, owner="acme", owner_id=9, name="shop")
GRACE = Starter(id=8, login="grace")


@dataclass(kw_only=True)
class People:
    """A tracker: accounts by login, what they may do, and the members of the teams that can be seen."""

    accounts: dict[str, int] = field(default_factory=lambda: {"grace": 8, "eve": 9})
    permissions: dict[int, Permission] = field(default_factory=lambda: {8: Permission.WRITE, 9: Permission.ADMIN})
    teams: dict[str, set[str]] = field(default_factory=dict)
    asked: int = 0

    async def permission(self, repository: str, login: str, *, account: int | None = None) -> Permission:
        assert repository == PLACE.full_name
        self.asked += 1
        found = self.accounts.get(login)
        if found is None or account not in {None, found}:
            return Permission.NONE
        return self.permissions[found]

    async def account_of(self, login: str) -> int | None:
        return self.accounts.get(login)

    async def in_team(self, team: str, login: str) -> bool:
        if team not in self.teams:
            raise TrackerError("there is no team that the bot may see", status=404)
        return login in self.teams[team]


@pytest.fixture
def people() -> People:
    return People()


@pytest.fixture
def authority(people: People, clock: FakeClock) -> Authority:
    return Authority(people, clock)


# gh-K-07
async def test_a_login_that_somebody_else_has_by_now_may_do_nothing(
    people: People, authority: Authority, clock: FakeClock
) -> None:
    assert await authority.permission(PLACE, GRACE) is Permission.WRITE
    people.accounts = {"grace-hopper": 8, "grace": 9}
    clock.advance(FRESH)
    assert await authority.permission(PLACE, GRACE) is Permission.NONE
    assert await authority.permission(PLACE, Starter(id=8, login="grace-hopper")) is Permission.WRITE


# gh-K-07
async def test_what_one_account_may_do_is_never_taken_for_what_another_of_its_name_may(
    people: People, authority: Authority
) -> None:
    assert await authority.permission(PLACE, GRACE) is Permission.WRITE
    people.accounts["grace"] = 9
    assert await authority.permission(PLACE, Starter(id=9, login="grace")) is Permission.ADMIN


# ag-D02
async def test_an_answer_is_used_again_for_seconds_only(people: People, authority: Authority, clock: FakeClock) -> None:
    await authority.permission(PLACE, GRACE)
    clock.advance(FRESH - SECOND)
    await authority.permission(PLACE, GRACE)
    assert people.asked == 1
    clock.advance(SECOND)
    people.permissions[8] = Permission.READ
    assert await authority.permission(PLACE, GRACE) is Permission.READ


# gh-K-05
async def test_a_team_that_cannot_be_seen_is_not_one_that_was_asked_for(people: People, authority: Authority) -> None:
    people.teams = {"acme/core": {"grace"}, "acme/docs": set()}
    voter = await authority.voter(PLACE, GRACE, ["acme/core", "acme/docs", "acme/secret"])
    assert voter.teams == frozenset({"acme/core"})
    assert voter.asked == frozenset({"acme/core", "acme/docs"})


# gh-K-07
async def test_who_has_taken_over_a_login_is_in_none_of_its_teams(people: People, authority: Authority) -> None:
    people.teams = {"acme/core": {"grace"}}
    people.accounts["grace"] = 9
    assert (await authority.voter(PLACE, GRACE, ["acme/core"])).teams == frozenset()
