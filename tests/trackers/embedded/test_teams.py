"""Teams of organisations, as a program looks at them."""

from __future__ import annotations

import httpx

from tests.trackers.embedded.conftest import World

TEAM = "/orgs/acme/teams/core"


async def test_who_is_in_a_team_is_found_there_and_nobody_else(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.set_team("acme", "core", "ada")

    member, other = [await bot.get(f"{TEAM}/memberships/{login}") for login in ("ada", "ben")]

    assert (member.status_code, member.json()["state"]) == (200, "active")
    assert other.status_code == 404
    assert (await bot.get(TEAM)).json()["members_count"] == 1


async def test_a_team_has_the_members_that_it_was_given_last(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.set_team("acme", "core", "ada")
    await world.tracker.set_team("acme", "core", "ben")

    found = [(await bot.get(f"{TEAM}/memberships/{login}")).status_code for login in ("ada", "ben")]

    assert found == [404, 200]


async def test_a_team_that_is_not_there_is_not_found(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.set_team("acme", "core")

    for path in ("/orgs/acme/teams/other", "/orgs/acme/teams/other/memberships/ada", f"{TEAM}/memberships/nobody"):
        assert (await bot.get(path)).status_code == 404


async def test_nobody_looks_at_teams_without_a_token(world: World) -> None:
    await world.tracker.set_team("acme", "core", "ada")
    stranger = await world.client(None)

    assert (await stranger.get(f"{TEAM}/memberships/ada")).status_code == 401


async def test_an_account_keeps_its_id_under_a_new_login_and_the_old_one_is_free(
    world: World, bot: httpx.AsyncClient
) -> None:
    before = (await bot.get("/users/ben")).json()["id"]
    await world.tracker.rename_user("ben", "benjamin")

    assert (await bot.get("/users/benjamin")).json()["id"] == before
    assert (await bot.get("/users/ben")).status_code == 404
    await world.tracker.add_user("ben")
    assert (await bot.get("/users/ben")).json()["id"] != before
