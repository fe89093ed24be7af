"""Accounts by login and repositories by id, as githubkit asks for them."""

from __future__ import annotations

import httpx
import pytest

from tests.trackers.embedded.conftest import REPO, World
from tests.trackers.embedded.test_githubkit import client, parsed


@pytest.mark.parametrize("path", ["", "/api/v3"])
async def test_a_repository_is_found_by_its_id(world: World, path: str) -> None:
    owner, name = REPO.split("/")
    async with client(world, "trackside[bot]", path=path) as github:
        named = parsed(await github.rest.repos.async_get(owner, name))
        answer = await github.arequest("GET", f"/repositories/{named.id}")

    assert answer.json()["full_name"] == REPO


async def test_an_account_is_found_by_its_login_in_any_case(world: World) -> None:
    async with client(world, "ben") as github:
        found = parsed(await github.rest.users.async_get_by_username("TRACKSIDE[bot]"))

    assert (found.login, found.type) == ("trackside[bot]", "Bot")


@pytest.mark.parametrize("path", ["/users/nobody", "/repositories/999999", "/repositories/99999999999999999999"])
async def test_what_is_not_there_is_not_found(bot: httpx.AsyncClient, path: str) -> None:
    assert (await bot.get(path)).status_code == 404


async def test_a_private_repository_is_hidden_by_its_id_too(world: World, ada: httpx.AsyncClient) -> None:
    await world.tracker.create_repository("acme", "vault", {"README.md": "# Vault\n"}, private=True)
    await world.tracker.grant("acme/vault", "ada", "read")
    identity = (await ada.get("/repos/acme/vault")).json()["id"]
    cleo = await world.client("cleo")

    answers = [await each.get(f"/repositories/{identity}") for each in (ada, cleo)]

    assert [each.status_code for each in answers] == [200, 404]


async def test_nobody_looks_up_without_a_token(world: World) -> None:
    stranger = await world.client(None)

    assert [(await stranger.get(each)).status_code for each in ("/users/ben", "/repositories/1")] == [401, 401]
