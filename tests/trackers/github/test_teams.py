from __future__ import annotations

import pytest
import respx

from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.github.tracker import GithubTracker
from tests.trackers.github.documents import BASE

TEAM = f"{BASE}/orgs/acme/teams/core"
MEMBERSHIP = f"{TEAM}/memberships/ada"


@pytest.mark.parametrize(("state", "member"), [("active", True), ("pending", False)])
async def test_only_an_active_member_is_in_a_team(
    api: respx.MockRouter, tracker: GithubTracker, *, state: str, member: bool
) -> None:
    api.get(MEMBERSHIP).respond(json={"state": state, "role": "member", "url": MEMBERSHIP})

    assert await tracker.in_team("acme/core", "ada") is member


# gh-K-05
async def test_who_is_unknown_to_a_team_that_the_bot_sees_is_no_member(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    api.get(MEMBERSHIP).respond(404)
    api.get(TEAM).respond(json={"id": 1, "slug": "core"})

    assert await tracker.in_team("acme/core", "ada") is False


# gh-K-05
async def test_a_team_that_the_bot_cannot_see_says_no_to_nobody(api: respx.MockRouter, tracker: GithubTracker) -> None:
    api.get(MEMBERSHIP).respond(404)
    api.get(TEAM).respond(404)

    with pytest.raises(TrackerError, match="cannot see the team acme/core") as caught:
        await tracker.in_team("acme/core", "ada")

    assert not isinstance(caught.value, TrackerMissingError)


@pytest.mark.parametrize(("team", "login"), [("core", "ada"), ("acme/a/b", "ada"), ("acme/core", "..")])
async def test_what_is_no_team_or_account_is_not_asked_for(tracker: GithubTracker, team: str, login: str) -> None:
    with pytest.raises(TrackerError, match="owner/team"):
        await tracker.in_team(team, login)
