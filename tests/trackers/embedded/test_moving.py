"""Repositories that are renamed or given away: where their former names lead, and who is told."""

from __future__ import annotations

import httpx

from bot.trackers.embedded.apps import Manifest
from tests.trackers.embedded.conftest import HOOK_URL, REPO, World
from tests.trackers.embedded.test_apps import pem


async def test_a_former_name_leads_to_the_same_thing_by_the_id(world: World, bot: httpx.AsyncClient) -> None:
    """Reading is led on with 301, anything else with 307, and both arrive."""
    await world.tracker.open_issue(REPO, by="ada", title="Cart is empty")
    repository = (await bot.get(f"/repos/{REPO}")).json()
    await world.tracker.rename(REPO, "store", by="ada")
    answer = await bot.get(f"/repos/{REPO}/issues?state=all")
    assert answer.status_code == 301
    assert answer.headers["location"].endswith(f"/repositories/{repository['id']}/issues?state=all")
    bot.follow_redirects = True
    (issue,) = (await bot.get(f"/repos/{REPO}/issues?state=all")).json()
    assert "/repos/acme/store/" in issue["url"]
    posted = await bot.post(f"/repos/{REPO}/issues/1/comments", json={"body": "Still here."})
    assert [each.status_code for each in posted.history] == [307]
    assert (posted.status_code, posted.json()["body"]) == (201, "Still here.")
    assert (await bot.get(f"/repos/{REPO}")).json()["full_name"] == "acme/store"
    assert (await bot.get(f"/api/v3/repos/{REPO}/issues/1")).json()["number"] == 1


async def test_a_repository_that_takes_a_former_name_has_it(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.rename(REPO, "store", by="ada")
    fresh = await world.tracker.create_repository("acme", "shop", {"README.md": "# Other\n"})
    assert (await bot.get(f"/repos/{REPO}")).json()["id"] == fresh.id


async def test_a_former_name_says_nothing_to_who_may_not_see_the_repository(world: World) -> None:
    await world.tracker.create_repository("acme", "secret", {"README.md": "# One\n"}, private=True)
    await world.tracker.rename("acme/secret", "hidden", by="acme")
    cleo = await world.client("cleo")
    assert (await cleo.get("/repos/acme/secret")).status_code == 404


async def test_hooks_are_told_of_a_new_name_and_of_a_new_owner(world: World) -> None:
    await world.tracker.rename(REPO, "store", by="ada")
    assert await world.told() == ["repository.renamed"]
    payload = world.receiver.received[0].payload
    assert payload["changes"]["repository"]["name"]["from"] == "shop"
    assert payload["repository"]["full_name"] == "acme/store"
    await world.tracker.transfer("acme/store", "ada", by="ada")
    assert await world.told() == ["repository.transferred"]
    payload = world.receiver.received[0].payload
    assert payload["changes"]["owner"]["from"]["organization"]["login"] == "acme"
    assert payload["repository"]["full_name"] == "ada/store"


async def test_an_app_loses_a_repository_that_its_account_gives_away(world: World) -> None:
    manifest = Manifest(name="Bot", url="https://example.org", hook_url=HOOK_URL, permissions={}, events=["repository"])
    app, _ = await world.tracker.add_app("acme", manifest, pem=pem())
    await world.tracker.install(app.slug, "acme", [REPO])
    await world.tracker.install(app.slug, "ada")
    await world.told()
    await world.tracker.transfer(REPO, "ada", by="ada")
    # The repository's own hook, the App by its installation on ada's account, and both of its installations.
    assert sorted(await world.told()) == [
        "installation_repositories.added",
        "installation_repositories.removed",
        "repository.transferred",
        "repository.transferred",
    ]
    told = {
        each.name: each.payload["installation"]["account"]["login"]
        for each in world.receiver.received
        if "account" in each.payload.get("installation", {})
    }
    assert told == {"installation_repositories.added": "ada", "installation_repositories.removed": "acme"}


async def test_git_and_pull_requests_go_with_the_repository(world: World) -> None:
    await world.tracker.commit(REPO, "fix", {"a.txt": "one\n"}, by="ada")
    await world.tracker.open_pull(REPO, by="ada", title="Fix", head="fix")
    await world.tracker.rename(REPO, "store", by="ada")
    await world.tracker.commit("acme/store", "fix", {"a.txt": "two\n"}, by="ada")
    assert await world.tracker.refresh("acme/store") == 1
