"""The manifest flow and the install page: what a person and a program see of them."""

from __future__ import annotations

import json
import re
import secrets
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest

from bot.clock import MINUTE, SECOND
from tests.trackers.embedded.conftest import BASE, HOOK_URL, REPO, World

BACK = "http://127.0.0.1:4711/callback"
SETUP = "http://127.0.0.1:4711/installed"
MANIFEST: dict[str, Any] = {
    "name": "Trackside of acme",
    "url": "https://example.org",
    "redirect_url": BACK,
    "setup_url": SETUP,
    "hook_attributes": {"url": HOOK_URL},
    "default_permissions": {"issues": "write"},
    "default_events": ["issues"],
}
OTHER_SITE = {"Origin": "http://127.0.0.1:4711", "Sec-Fetch-Site": "cross-site"}
OWN_PAGE = {"Origin": BASE}


@pytest.fixture
async def browser(world: World) -> httpx.AsyncClient:
    return await world.client(None)


async def ask(browser: httpx.AsyncClient, path: str = "/settings/apps/new", **changed: Any) -> httpx.Response:
    form = {"manifest": json.dumps({**MANIFEST, **changed})}
    return await browser.post(f"{path}?state=s1", data=form, headers=OTHER_SITE)


async def confirm(browser: httpx.AsyncClient, asked: httpx.Response, name: str = "Trackside of acme") -> httpx.Response:
    """Send the form of the page, as a person who typed a name would."""
    assert asked.status_code == 200, asked.text
    hidden = re.findall(r'<input type="hidden" name="(manifest|state)" value="([^"]*)"', asked.text)
    fields = {key: unescape(value) for key, value in hidden}
    path = urlsplit(str(asked.url)).path + "/confirm"
    return await browser.post(path, data={**fields, "name": name}, headers=OWN_PAGE)


def query(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 303, answer.text
    return {key: found[0] for key, found in parse_qs(urlsplit(answer.headers["location"]).query).items()}


async def test_a_manifest_becomes_an_app_whose_key_is_given_once(world: World, browser: httpx.AsyncClient) -> None:
    answer = await confirm(browser, await ask(browser, "/organizations/acme/settings/apps/new"))
    assert answer.headers["location"].startswith(BACK + "?")
    back = query(answer)
    assert back["state"] == "s1"
    path = f"/app-manifests/{back['code']}/conversions"
    converted = await browser.post(path)
    assert converted.status_code == 201
    app = converted.json()
    assert (app["slug"], app["owner"]["login"]) == ("trackside-of-acme", "acme")
    assert app["webhook_secret"]
    assert app["client_secret"]
    seconds = world.clock.now() // SECOND
    claims = {"iat": seconds, "exp": seconds + 300, "iss": str(app["id"])}
    bearer = {"Authorization": f"Bearer {jwt.encode(claims, app['pem'], 'RS256')}"}
    assert (await browser.get("/app", headers=bearer)).json()["id"] == app["id"]
    # The webhook secret is the one that events are signed with, and the code is used up.
    assert (await browser.post(path)).status_code == 404


async def test_a_code_ends_after_an_hour(world: World, browser: httpx.AsyncClient) -> None:
    back = query(await confirm(browser, await ask(browser)))
    world.clock.moment += 61 * MINUTE
    assert (await browser.post(f"/app-manifests/{back['code']}/conversions")).status_code == 404


async def test_nothing_is_made_by_the_form_of_another_site(browser: httpx.AsyncClient) -> None:
    """The manifest of another site is shown; only a form of the tracker's own page makes the App."""
    form = {"manifest": json.dumps(MANIFEST), "state": "s1", "name": "x"}
    assert (await browser.post("/settings/apps/new/confirm", data=form, headers=OTHER_SITE)).status_code == 403


async def test_a_name_that_is_taken_is_said_and_another_can_be_typed(browser: httpx.AsyncClient) -> None:
    await confirm(browser, await ask(browser))
    again = await confirm(browser, await ask(browser))
    assert again.status_code == 422
    assert "Name has already been taken" in again.text
    assert query(await confirm(browser, await ask(browser), name="Trackside two"))["code"]


async def test_what_a_manifest_says_is_shown_as_text(browser: httpx.AsyncClient) -> None:
    page = await ask(browser, name="<b>x</b>", url="https://example.org/<script>", redirect_url="http://h;x/'*")
    assert "<b>x" not in page.text
    assert "<script>" not in page.text.replace('<script src="/static/live.js" defer>', "")
    policy = page.headers["content-security-policy"]
    assert "form-action 'self' http://hx;" in policy


async def test_a_manifest_that_makes_no_sense_is_refused(browser: httpx.AsyncClient) -> None:
    wrong: list[dict[str, Any]] = [
        {"redirect_url": "javascript:alert(1)"},
        {"hook_attributes": {"active": False}},
        {"default_events": ["installation"]},
    ]
    no_hook = {key: value for key, value in MANIFEST.items() if key != "hook_attributes"}
    documents = [no_hook, *({**MANIFEST, **each} for each in wrong)]
    for manifest in ("", "[]", "{", *map(json.dumps, documents)):
        answer = await browser.post("/settings/apps/new", data={"manifest": manifest}, headers=OTHER_SITE)
        assert answer.status_code == 422, manifest


async def test_the_owner_lets_the_app_into_some_repositories_and_is_led_back(
    world: World, browser: httpx.AsyncClient
) -> None:
    back = query(await confirm(browser, await ask(browser)))
    app = (await browser.post(f"/app-manifests/{back['code']}/conversions")).json()
    path = f"/apps/{app['slug']}/installations/new"
    page = await browser.get(path)
    assert REPO in page.text
    form = {"owner": "acme", "selection": "selected"}
    assert (await browser.post(path, data=form, headers=OWN_PAGE)).status_code == 422
    answer = await browser.post(path, data={**form, "repository": REPO}, headers=OWN_PAGE)
    assert answer.headers["location"].startswith(SETUP + "?")
    assert query(answer)["setup_action"] == "install"
    assert await world.told() == ["installation.created"]
    created = world.receiver.received[0].payload["installation"]
    assert str(created["id"]) == query(answer)["installation_id"]


async def test_a_manifest_without_a_hook_is_told_nothing(world: World, browser: httpx.AsyncClient) -> None:
    """For bots that poll, since no address of theirs can be reached."""
    silent = {key: value for key, value in MANIFEST.items() if key not in {"hook_attributes", "default_events"}}
    form = {"manifest": json.dumps(silent)}
    asked = await browser.post(f"/settings/apps/new?state={secrets.token_hex(4)}", data=form, headers=OTHER_SITE)
    back = query(await confirm(browser, asked))
    app = (await browser.post(f"/app-manifests/{back['code']}/conversions")).json()
    assert app["webhook_secret"] is None
    await world.tracker.install(app["slug"], "acme")
    assert await world.told() == []
