"""GitHub Apps in the embedded tracker, as GitHub documents them."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import httpx
import jwt
import pytest

from bot.clock import MINUTE, SECOND
from bot.trackers.embedded.apps import App, Manifest, new_key
from bot.trackers.embedded.values import Installation
from tests.trackers.embedded.conftest import BASE, HOOK_URL, REPO, World

NAME = "Trackside of acme"
PERMISSIONS = {"issues": "write", "pull_requests": "read"}
MANIFEST = Manifest(
    name=NAME, url="https://example.org", hook_url=HOOK_URL, permissions=PERMISSIONS, events=["issues", "repository"]
)


@functools.cache
def pem() -> str:
    """Return one key for all tests here, since making one takes long."""
    return new_key()


@dataclass(frozen=True)
class Installed:
    """An App with its installation, and REST without credentials."""

    world: World
    app: App
    installation: Installation
    rest: httpx.AsyncClient

    def assertion(self, **claims: Any) -> dict[str, str]:
        seconds = self.world.clock.now() // SECOND
        times = {"iat": seconds - 60, "exp": seconds + 540, "iss": str(self.app.id)}
        signed = jwt.encode({key: value for key, value in {**times, **claims}.items() if value}, pem(), "RS256")
        return {"Authorization": f"Bearer {signed}"}

    async def token(self, **asked: Any) -> dict[str, str]:
        path = f"/app/installations/{self.installation.id}/access_tokens"
        answer = await self.rest.post(path, json=asked, headers=self.assertion())
        assert answer.status_code == 201, answer.text
        return {"Authorization": f"Bearer {answer.json()['token']}"}


@pytest.fixture
async def installed(world: World) -> Installed:
    await world.tracker.create_repository("acme", "secret", {"README.md": "# Secret\n"}, private=True)
    app, _ = await world.tracker.add_app("acme", MANIFEST, pem=pem())
    installation = await world.tracker.install(app.slug, "acme", [REPO])
    return Installed(world, app, installation, await world.client(None))


async def test_the_app_is_who_it_says_by_id_and_by_client_id(installed: Installed) -> None:
    for issuer in (str(installed.app.id), installed.app.client_id):
        answer = await installed.rest.get("/app", headers=installed.assertion(iss=issuer))
        assert answer.status_code == 200, answer.text
        assert answer.json()["slug"] == "trackside-of-acme"
        assert answer.json()["permissions"] == {"metadata": "read", **PERMISSIONS}


async def test_an_assertion_that_does_not_hold_is_refused(installed: Installed) -> None:
    """RS256 by its own key, begun already, ended within ten minutes."""
    now = installed.world.clock.now() // SECOND
    refused: dict[str, dict[str, Any]] = {
        "too far": {"exp": now + 10 * MINUTE // SECOND + 120},
        "over": {"exp": now - 1},
        "no end": {"exp": None},
        "not begun": {"iat": now + 300},
        "no beginning": {"iat": None},
        "no issuer": {"iss": None},
    }
    for what, claims in refused.items():
        answer = await installed.rest.get("/app", headers=installed.assertion(**claims))
        assert answer.status_code == 401, what
    unknown = await installed.rest.get("/app", headers=installed.assertion(iss="4"))
    assert (unknown.status_code, unknown.json()["message"]) == (404, "Integration not found")
    claims = {"iat": now, "exp": now + 60, "iss": str(installed.app.id)}
    foreign = jwt.encode(claims, new_key(), "RS256")
    unsigned = jwt.encode(claims, "", "none")
    for forged in (foreign, unsigned, "x.y.z", "words"):
        answer = await installed.rest.get("/app", headers={"Authorization": f"Bearer {forged}"})
        assert (answer.status_code, answer.json()["message"]) == (401, "A JSON web token could not be decoded")


async def test_a_token_acts_as_the_bot_of_the_app(installed: Installed) -> None:
    await installed.world.tracker.open_issue(REPO, by="ada", title="Cart is empty")
    headers = await installed.token()
    answer = await installed.rest.post(f"/repos/{REPO}/issues/1/comments", json={"body": "Seen."}, headers=headers)
    assert answer.status_code == 201
    assert (answer.json()["user"]["login"], answer.json()["user"]["type"]) == ("trackside-of-acme[bot]", "Bot")
    answer = await installed.rest.post(f"/repos/{REPO}/issues/1/labels", json={"labels": ["bug"]}, headers=headers)
    assert [label["name"] for label in answer.json()] == ["bug"]


async def test_what_the_app_was_not_granted_is_refused(installed: Installed) -> None:
    """Outside of its permissions 403, outside of its repositories 404."""
    headers = await installed.token()
    for method, path in (
        ("GET", "/user"),
        ("GET", f"/repos/{REPO}/hooks"),
        ("POST", f"/repos/{REPO}/pulls"),
        ("GET", f"/repos/{REPO}/unheard-of"),
    ):
        answer = await installed.rest.request(method, path, json=None, headers=headers)
        assert answer.status_code in {403, 404}, path
        if not path.endswith("unheard-of"):
            assert answer.json()["message"] == "Resource not accessible by integration", path
    # Public or not: a bot that reaches beyond its installation must not go unnoticed.
    other = await installed.world.tracker.create_repository("acme", "open", {"README.md": "# Open\n"})
    for path in ("/repos/acme/secret", "/repos/acme/open/issues", f"/repositories/{other.id}"):
        assert (await installed.rest.get(path, headers=headers)).status_code == 404, path


async def test_a_token_may_be_asked_for_less_but_not_for_more(installed: Installed) -> None:
    headers = await installed.token(permissions={"issues": "read"}, repositories=["shop"])
    assert (await installed.rest.get(f"/repos/{REPO}/issues", headers=headers)).status_code == 200
    refused = await installed.rest.post(f"/repos/{REPO}/issues", json={"title": "x"}, headers=headers)
    assert refused.status_code == 403
    await installed.world.tracker.add_to_installation(installed.installation.id, "acme/secret")
    assert (await installed.rest.get("/repos/acme/secret/issues", headers=headers)).status_code == 404
    path = f"/app/installations/{installed.installation.id}/access_tokens"
    for more in ({"permissions": {"contents": "read"}}, {"permissions": {"issues": "admin"}}, {"repositories": ["x"]}):
        answer = await installed.rest.post(path, json=more, headers=installed.assertion())
        assert answer.status_code == 422, more


async def test_a_token_ends_after_an_hour(installed: Installed) -> None:
    headers = await installed.token()
    installed.world.clock.moment += 61 * MINUTE
    answer = await installed.rest.get(f"/repos/{REPO}", headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


async def test_a_suspended_installation_gets_nothing_and_is_told_nothing(installed: Installed) -> None:
    headers = await installed.token()
    world = installed.world
    await world.told()
    await world.tracker.suspend(installed.installation.id)
    answer = await installed.rest.get(f"/repos/{REPO}", headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (403, "This installation has been suspended")
    path = f"/app/installations/{installed.installation.id}/access_tokens"
    assert (await installed.rest.post(path, headers=installed.assertion())).status_code == 403
    await world.tracker.open_issue(REPO, by="ada", title="While it sleeps")
    # The repository's own hook hears of the issue, the App does not.
    assert await world.told() == ["installation.suspend", "issues.opened"]
    await world.tracker.suspend(installed.installation.id, suspended=False)
    assert (await installed.rest.get(f"/repos/{REPO}", headers=headers)).status_code == 200


async def test_events_of_its_repositories_go_to_the_app_with_the_installation(installed: Installed) -> None:
    world = installed.world
    assert await world.told() == ["installation.created"]
    created = world.receiver.received[0]
    assert created.headers["X-GitHub-Hook-Installation-Target-Type"] == "integration"
    assert [each["full_name"] for each in created.payload["repositories"]] == [REPO]
    await world.tracker.open_issue(REPO, by="ada", title="Cart is empty")
    await world.tracker.open_issue("acme/secret", by="acme", title="Hidden")
    assert await world.told() == ["issues.opened", "issues.opened"]
    told = [each.payload.get("installation") for each in world.receiver.received]
    assert [each and each["id"] for each in told] == [None, installed.installation.id]


async def test_repositories_come_and_go(installed: Installed) -> None:
    world, installation = installed.world, installed.installation.id
    await world.told()
    await world.tracker.add_to_installation(installation, "acme/secret")
    await world.tracker.remove_from_installation(installation, REPO)
    assert await world.told() == ["installation_repositories.added", "installation_repositories.removed"]
    answer = await installed.rest.get("/installation/repositories", headers=await installed.token())
    assert [each["full_name"] for each in answer.json()["repositories"]] == ["acme/secret"]
    headers = await installed.token()
    await world.tracker.uninstall(installation)
    assert await world.told() == ["installation.deleted"]
    assert (await installed.rest.get("/repos/acme/secret", headers=headers)).status_code == 401
    answer = await installed.rest.get(f"/app/installations/{installation}", headers=installed.assertion())
    assert answer.status_code == 404


async def test_installations_are_found_by_repository_and_by_account(installed: Installed) -> None:
    headers = installed.assertion()
    for path in (f"/repos/{REPO}/installation", "/orgs/acme/installation", "/users/acme/installation"):
        answer = await installed.rest.get(path, headers=headers)
        assert (answer.status_code, answer.json()["id"]) == (200, installed.installation.id), path
    for path in ("/repos/acme/secret/installation", "/users/ada/installation"):
        assert (await installed.rest.get(path, headers=headers)).status_code == 404, path
    answer = await installed.rest.get("/app/installations", headers=headers)
    assert [each["id"] for each in answer.json()] == [installed.installation.id]


async def test_new_permissions_hold_once_they_are_accepted(installed: Installed) -> None:
    world = installed.world
    await world.told()
    await world.tracker.ask_for(installed.app.slug, {**PERMISSIONS, "pull_requests": "write"}, ["issues"])
    path = f"/repos/{REPO}/pulls"
    assert (await installed.rest.post(path, headers=await installed.token())).status_code == 403
    await world.tracker.accept(installed.installation.id)
    assert await world.told() == ["installation.new_permissions_accepted"]
    assert (await installed.rest.post(path, headers=await installed.token())).status_code == 422


async def test_the_hook_of_the_app_is_read_changed_and_delivered_again(installed: Installed) -> None:
    world, headers = installed.world, installed.assertion()
    await world.told()
    config = (await installed.rest.get("/app/hook/config", headers=headers)).json()
    assert (config["url"], config["secret"]) == (HOOK_URL, "********")
    (listed,) = (await installed.rest.get("/app/hook/deliveries", headers=headers)).json()
    assert (listed["event"], listed["installation_id"]) == ("installation", installed.installation.id)
    path = f"/app/hook/deliveries/{listed['id']}"
    assert (await installed.rest.get(path, headers=headers)).json()["guid"] == listed["guid"]
    assert (await installed.rest.post(f"{path}/attempts", headers=headers)).status_code == 202
    assert await world.told() == ["installation.created"]
    moved = f"{BASE}/elsewhere"
    answer = await installed.rest.patch("/app/hook/config", json={"url": moved}, headers=headers)
    assert answer.json()["url"] == moved
