"""Who gets in, and what the tracker says to those who do not."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import httpx
import pytest

from bot.trackers.embedded.faults import RefusedError
from bot.trackers.embedded.tracker import EmbeddedTracker
from tests.trackers.embedded.conftest import BASE, REPO, Ticking, World


@pytest.mark.parametrize(
    ("authorization", "status", "message"),
    [
        (None, 401, "Requires authentication"),
        ("Bearer wrong", 401, "Bad credentials"),
        ("Basic {token}", 401, "Bad credentials"),
        ("Bearer {token}", 200, None),
        ("token {token}", 200, None),
    ],
)
async def test_a_token_opens(world: World, authorization: str | None, status: int, message: str | None) -> None:
    client = await world.client(None)
    headers = {} if authorization is None else {"Authorization": authorization.format(token=world.tokens["ada"])}

    answer = await client.get("/user", headers=headers)

    assert answer.status_code == status
    assert answer.json().get("message") == message


async def test_only_the_digest_of_a_token_is_kept(world: World, tmp_path: Path) -> None:
    kept = b"".join((tmp_path / name).read_bytes() for name in ("tracker.db", "tracker.db-wal"))

    assert b"trackside[bot]" in kept
    assert all(token.encode() not in kept for token in world.tokens.values())


@pytest.mark.parametrize(
    ("role", "permission"),
    [("admin", "admin"), ("maintain", "write"), ("write", "write"), ("triage", "read"), ("read", "read")],
)
async def test_a_role_has_a_coarse_permission(world: World, bot: httpx.AsyncClient, role: str, permission: str) -> None:
    await world.tracker.grant(REPO, "cleo", role)

    answer = (await bot.get(f"/repos/{REPO}/collaborators/CLEO/permission")).json()

    assert (answer["permission"], answer["role_name"], answer["user"]["login"]) == (permission, role, "cleo")


async def test_a_permission_that_is_taken_back_is_gone_at_once(world: World, bot: httpx.AsyncClient) -> None:
    async def permission() -> str:
        return str((await bot.get(f"/repos/{REPO}/collaborators/ben/permission")).json()["permission"])

    before = await permission()
    await world.tracker.grant(REPO, "ben", "none")

    assert (before, await permission()) == ("write", "read")


async def test_only_who_may_write_may_ask_for_permissions(world: World) -> None:
    cleo = await world.client("cleo")

    assert (await cleo.get(f"/repos/{REPO}/collaborators/ada/permission")).status_code == 403


async def test_a_private_repository_is_hidden_from_others(world: World) -> None:
    await world.tracker.create_repository("acme", "secret", {"a": "b"}, private=True)
    await world.tracker.grant("acme/secret", "ada", "write")
    ada, cleo = await world.client("ada"), await world.client("cleo")

    assert (await ada.get("/repos/acme/secret")).json()["private"] is True
    assert (await ada.get("/repos/acme/secret/collaborators/cleo/permission")).json()["permission"] == "none"
    hidden = await cleo.get("/repos/acme/secret")
    assert (hidden.status_code, hidden.json()["message"]) == (404, "Not Found")
    with pytest.raises(RefusedError):
        await world.tracker.open_issue("acme/secret", by="cleo", title="Let me in")


@pytest.mark.parametrize(
    "path",
    [
        "/repos/acme/nothing",
        f"/repos/{REPO}/issues/77",
        f"/repos/{REPO}/issues/{10**30}",
        f"/repos/{REPO}/issues/one",
        f"/repos/{REPO}/labels/nothing",
        f"/repos/{REPO}/milestones",
        f"/repos/{REPO}/pulls/77",
    ],
)
async def test_what_does_not_exist_is_not_found(bot: httpx.AsyncClient, path: str) -> None:
    answer = await bot.get(path)

    assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")


@pytest.mark.parametrize(
    ("body", "status"), [(b"{", 400), (b"[]", 400), (b'{"title": "\\ud800"}', 400), (b"", 422), (b'{"title": 1}', 422)]
)
async def test_a_body_that_says_nothing_is_refused(bot: httpx.AsyncClient, body: bytes, status: int) -> None:
    assert (await bot.post(f"/repos/{REPO}/issues", content=body)).status_code == status


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:7700", 200),
        ("localhost", 200),
        ("[::1]:7700", 200),
        ("tracker.test", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("[::1].evil.example", 403),
        ("", 403),
    ],
)
async def test_only_the_names_of_this_machine_are_answered(ada: httpx.AsyncClient, host: str, status: int) -> None:
    assert (await ada.get("/user", headers={"Host": host})).status_code == status


@pytest.mark.parametrize("name", ["../up", ".git", "a/b", "", "x.git", "shop", "SHOP"])
async def test_a_repository_has_a_name_that_fits_a_directory(world: World, name: str) -> None:
    with pytest.raises(RefusedError):
        await world.tracker.create_repository("acme", name, {"a": "b"})


@pytest.mark.parametrize("path", ["../escape", "/abs", "a/../b", ".git/config", "new\nline", "a//b"])
async def test_a_file_has_a_path_that_fits_a_tree(world: World, path: str) -> None:
    with pytest.raises(RefusedError):
        await world.tracker.commit(REPO, "fix", {path: "text"}, by="ben")


@pytest.mark.parametrize("login", ["api", "Repos", "a/b", "", "-a", "ada", "ADA"])
async def test_a_login_is_no_path_of_the_tracker_and_taken_once(world: World, login: str) -> None:
    with pytest.raises(RefusedError):
        await world.tracker.add_user(login)


async def test_everything_is_there_again_after_a_restart(tmp_path: Path) -> None:
    async with httpx.AsyncClient() as client:
        opening = partial(
            EmbeddedTracker.open, tmp_path / "t.db", tmp_path / "git", clock=Ticking(), client=client, base_url=BASE
        )
        async with opening() as tracker:
            await tracker.add_user("ada")
            await tracker.create_repository("ada", "shop", {"a": "b"})
            await tracker.open_issue("ada/shop", by="ada", title="One", labels=["bug"])
        async with opening() as tracker:
            assert (await tracker.thread("ada/shop", 1)).label_names == ("bug",)
            assert (await tracker.open_issue("ada/shop", by="ada", title="Two")).number == 2
