"""Each installation of an App by itself: found, suspended, removed, limited, and no other is the worse for it."""

from __future__ import annotations

import httpx
import pytest

from bot.clock import HOUR
from bot.errors import RateLimitedError, TrackerError, TrackerMissingError
from bot.metrics import REGISTRY
from bot.trackers.github.credentials import is_about_app, is_repository, owner_of, repository_of
from bot.trackers.github.tracker import GithubTracker
from tests.clock import FakeClock
from tests.trackers.github.apps import FARM, SHOP, AppServer


async def test_each_repository_is_reached_by_the_token_of_its_own_installation(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    for name in (SHOP, FARM):
        await app_tracker.repository(name)

    assert server.paths("acme") == [f"/repos/{SHOP}"]
    assert server.paths("zoo") == [f"/repos/{FARM}"]


async def test_what_an_organisation_is_asked_is_asked_by_its_own_installation(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    membership = "/orgs/Zoo/teams/keepers/memberships/ada"
    server.answers["GET", membership] = lambda _: httpx.Response(200, json={"state": "active"})

    assert await app_tracker.in_team("Zoo/keepers", "ada")
    assert server.paths("zoo") == [membership]


async def test_a_suspended_installation_is_said_and_leaves_the_others_alone(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    acme = server.installed[0]
    acme.suspended = True
    with pytest.raises(TrackerError, match="installation on acme is suspended") as caught:
        await app_tracker.repository(SHOP)
    assert caught.value.status == 403
    assert not isinstance(caught.value, TrackerMissingError)
    assert (await app_tracker.repository(FARM)).full_name == FARM

    acme.suspended = False
    assert (await app_tracker.repository(SHOP)).full_name == SHOP


async def test_an_installation_that_is_suspended_later_is_said_when_its_token_ends(
    app_tracker: GithubTracker, server: AppServer, clock: FakeClock
) -> None:
    await app_tracker.repository(SHOP)
    server.installed[0].suspended = True
    with pytest.raises(TrackerError, match="This installation has been suspended"):
        await app_tracker.repository(SHOP)
    clock.advance(HOUR)
    for _ in range(2):
        with pytest.raises(TrackerError, match="installation on acme is suspended"):
            await app_tracker.repository(SHOP)


async def test_a_removed_installation_is_said_and_a_new_one_is_found(
    app_tracker: GithubTracker, server: AppServer, clock: FakeClock
) -> None:
    await app_tracker.repository(SHOP)
    acme = server.installed.pop(0)
    with pytest.raises(TrackerMissingError, match=f"the App is not installed on {SHOP}"):
        await app_tracker.repository(SHOP)
    assert (await app_tracker.repository(FARM)).full_name == FARM

    acme.id = 3
    server.installed.append(acme)
    assert (await app_tracker.repository(SHOP)).full_name == SHOP
    clock.advance(HOUR)
    acme.id = 4
    assert (await app_tracker.repository(SHOP)).full_name == SHOP


# gh-K-09
async def test_a_repository_that_moved_to_another_account_is_reached_by_the_installation_there(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    await app_tracker.repository(SHOP)
    acme, zoo = server.installed
    acme.repositories.discard(SHOP)
    zoo.repositories.add(SHOP)

    assert (await app_tracker.repository(SHOP)).full_name == SHOP


# gh-K-09
async def test_a_redirect_is_followed_with_the_token_of_the_repository_that_was_asked_for(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    server.answers["GET", f"/repos/{SHOP}"] = lambda _: httpx.Response(301, headers={"location": "/repositories/11"})
    server.answers["GET", "/repositories/11"] = lambda _: httpx.Response(301, headers={"location": "/repos/acme/till"})

    assert (await app_tracker.repository(SHOP)).full_name == "acme/till"
    assert server.paths("acme") == [f"/repos/{SHOP}", "/repositories/11", "/repos/acme/till"]
    assert server.minted == 1


async def test_what_is_about_no_repository_is_asked_by_any_installation_that_can(
    app_tracker: GithubTracker, server: AppServer, clock: FakeClock
) -> None:
    acme, zoo = server.installed
    acme.suspended = True
    assert (await app_tracker.me()).id == 777
    assert len(server.paths("zoo")) == 1

    acme.suspended, zoo.suspended = False, True
    clock.advance(HOUR)
    with pytest.raises(TrackerError, match="installation on zoo is suspended"):
        await app_tracker.me()
    assert (await app_tracker.me()).id == 777

    server.installed.remove(acme)
    zoo.suspended = False
    clock.advance(HOUR)
    assert (await app_tracker.me()).id == 777


async def test_an_app_that_is_installed_nowhere_is_told_what_to_do(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    server.installed.clear()
    with pytest.raises(TrackerError, match="not installed anywhere, or is suspended: install it"):
        await app_tracker.me()


async def test_a_limit_on_one_installation_leaves_the_others_alone(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    # gh-R-02
    limited = httpx.Response(403, json={"message": "slow down"}, headers={"retry-after": "30"})
    server.answers["GET", f"/repos/{SHOP}"] = lambda _: limited

    with pytest.raises(RateLimitedError):
        await app_tracker.repository(SHOP)
    assert (await app_tracker.repository(FARM)).full_name == FARM
    assert server.minted == 2


async def test_what_is_left_of_each_quota_is_told_by_its_owner(app_tracker: GithubTracker) -> None:
    for name in (SHOP, FARM):
        await app_tracker.repository(name)

    left = [
        REGISTRY.get_sample_value("trackside_tracker_requests_left", {"owner": owner, "resource": "core"})
        for owner in ("acme", "zoo")
    ]
    assert left == [4001, 4002]


@pytest.mark.parametrize(
    ("path", "about", "repository", "itself", "owner"),
    [
        ("/app", True, None, False, ""),
        ("/app/hook/deliveries?per_page=100", True, None, False, ""),
        ("/app?x=1", True, None, False, ""),
        ("/repos/acme/shop/installation", True, "acme/shop", False, "acme"),
        ("/orgs/Acme/installation", True, None, False, "acme"),
        ("/repos/acme/shop", False, "acme/shop", True, "acme"),
        ("/repos/Acme/shop?x=a/b", False, "Acme/shop", True, "acme"),
        ("/repos/acme/shop/issues/3", False, "acme/shop", False, "acme"),
        ("/repos/acme/app/contents/installation", False, "acme/app", False, "acme"),
        ("/orgs/acme/teams/a/memberships/b", False, None, False, "acme"),
        ("/users/ada", False, None, False, "ada"),
        ("/installation/repositories", False, None, False, ""),
    ],
)
def test_a_path_tells_whose_credentials_it_needs(
    path: str, *, about: bool, repository: str | None, itself: bool, owner: str
) -> None:
    assert is_about_app(path) == about
    assert (repository_of(path), is_repository(path), owner_of(path)) == (repository, itself, owner)
