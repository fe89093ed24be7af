"""Check runs and statuses in the embedded tracker, as GitHub documents them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import httpx
import jwt
import pytest

from bot.clock import SECOND
from bot.trackers.embedded import statuses
from bot.trackers.embedded.apps import App, Manifest, new_key
from bot.trackers.embedded.faults import RefusedError
from tests.trackers.embedded.conftest import REPO, World

MANIFEST = Manifest(name="Builder", url="https://example.org", permissions={"checks": "write"})


@functools.cache
def pem() -> str:
    """Return one key for all tests here, since making one takes long."""
    return new_key()


@dataclass(frozen=True)
class Built:
    """A pull request with its head, and an App that builds it, with REST as that App."""

    world: World
    head: str
    app: App
    rest: httpx.AsyncClient

    @property
    def bot(self) -> str:
        return self.app.bot.login


@pytest.fixture
async def built(world: World) -> Built:
    head = await world.tracker.commit(REPO, "fix/greeting", {"a.txt": "a"}, by="ben")
    await world.tracker.open_pull(REPO, by="ben", title="Fix", head="fix/greeting")
    app, _ = await world.tracker.add_app("acme", MANIFEST, pem=pem())
    installation = await world.tracker.install(app.slug, "acme", [REPO])
    seconds = world.clock.now() // SECOND
    claims = {"iat": seconds - 60, "exp": seconds + 540, "iss": str(app.id)}
    rest = await world.client(None)
    path = f"/app/installations/{installation.id}/access_tokens"
    signed = jwt.encode(claims, pem(), "RS256")
    answer = await rest.post(path, headers={"Authorization": f"Bearer {signed}"})
    rest.headers["Authorization"] = f"Bearer {answer.json()['token']}"
    await world.told()
    return Built(world, head, app, rest)


async def test_an_app_begins_a_check_run_and_ends_it_and_its_suite_ends_with_it(built: Built) -> None:
    begun = await built.rest.post(
        f"/repos/{REPO}/check-runs",
        json={
            "name": "tests",
            "head_sha": built.head,
            "status": "in_progress",
            "external_id": "x1",
            "output": {"title": "Running", "summary": "…"},
        },
    )
    assert begun.status_code == 201, begun.text
    run = begun.json()
    assert (run["status"], run["conclusion"], run["external_id"]) == ("in_progress", None, "x1")
    assert (run["app"]["id"], run["pull_requests"][0]["head"]["ref"]) == (built.app.id, "fix/greeting")
    assert await built.world.told() == ["check_run.created"]

    ended = await built.rest.patch(f"/repos/{REPO}/check-runs/{run['id']}", json={"conclusion": "failure"})

    assert (ended.json()["status"], ended.json()["conclusion"]) == ("completed", "failure")
    assert await built.world.told() == ["check_run.completed", "check_suite.completed"]
    suite = built.world.receiver.received[-1].payload["check_suite"]
    assert (suite["head_branch"], suite["head_sha"], suite["conclusion"]) == ("fix/greeting", built.head, "failure")


async def test_a_suite_ends_with_the_last_of_its_runs_only(built: Built) -> None:
    tracker = built.world.tracker
    first = await tracker.report_check(REPO, built.head, "lint", by=built.bot)
    await tracker.report_check(REPO, built.head, "tests", "success", by=built.bot)
    assert "check_suite.completed" not in await built.world.told()

    await tracker.end_check(REPO, first.id, "skipped", by=built.bot)

    assert await built.world.told() == ["check_run.completed", "check_suite.completed"]
    suites = (await built.rest.get(f"/repos/{REPO}/commits/{built.head}/check-suites")).json()
    assert [(each["conclusion"], each["latest_check_runs_count"]) for each in suites["check_suites"]] == [
        ("success", 2)
    ]


async def test_a_rerun_takes_the_place_of_the_run_before_it(built: Built) -> None:
    tracker = built.world.tracker
    for conclusion in ("failure", "success"):
        await tracker.report_check(REPO, built.head, "tests", conclusion, by=built.bot)
    path = f"/repos/{REPO}/commits/{built.head}/check-runs"

    latest = (await built.rest.get(path)).json()
    every = (await built.rest.get(path, params={"filter": "all", "per_page": 1})).json()

    assert [each["conclusion"] for each in latest["check_runs"]] == ["success"]
    assert (every["total_count"], len(every["check_runs"]), latest["total_count"]) == (2, 1, 1)


async def test_only_an_app_writes_check_runs_and_each_only_its_own(built: Built, ada: httpx.AsyncClient) -> None:
    run = {"name": "tests", "head_sha": built.head}
    refused = await ada.post(f"/repos/{REPO}/check-runs", json=run)
    assert (refused.status_code, refused.json()["message"]) == (403, "You must authenticate via a GitHub App.")

    other, _ = await built.world.tracker.add_app("acme", Manifest(name="Other", url="", permissions={}), pem=pem())
    await built.world.tracker.install(other.slug, "acme", [REPO])
    theirs = await built.world.tracker.report_check(REPO, built.head, "lint", by=other.bot.login)
    answer = await built.rest.patch(f"/repos/{REPO}/check-runs/{theirs.id}", json={"conclusion": "success"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"conclusion": "stale"}, "conclusion"),
        ({"status": "completed"}, "conclusion"),
        ({"status": "done"}, "status"),
        ({"output": {"title": "t", "summary": "x" * 65_536}}, "output.summary"),
        ({"output": {"summary": "s"}}, "title"),
        ({"name": ""}, "name"),
    ],
)
async def test_what_makes_no_sense_in_a_check_run_is_refused(
    built: Built, fields: dict[str, object], field: str
) -> None:
    answer = await built.rest.post(
        f"/repos/{REPO}/check-runs", json={"name": "tests", "head_sha": built.head, **fields}
    )
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)


async def test_a_commit_that_is_not_there_takes_nothing(built: Built, bot: httpx.AsyncClient) -> None:
    sha = "f" * 40
    run = await built.rest.post(f"/repos/{REPO}/check-runs", json={"name": "tests", "head_sha": sha})
    status = await bot.post(f"/repos/{REPO}/statuses/{sha}", json={"state": "success"})
    read = await bot.get(f"/repos/{REPO}/commits/--all/status")
    assert [each.status_code for each in (run, status, read)] == [422, 422, 422]


async def test_a_status_is_told_and_the_last_of_its_context_counts_whoever_set_it(
    built: Built, bot: httpx.AsyncClient, ada: httpx.AsyncClient
) -> None:
    path = f"/repos/{REPO}/statuses/{built.head}"
    first = await bot.post(path, json={"state": "pending", "context": "ci", "description": "…"})
    assert (first.status_code, first.json()["creator"]["login"]) == (201, "trackside[bot]")
    await built.world.told()
    await ada.post(path, json={"state": "failure", "context": "ci", "target_url": "https://ci.example/1"})
    await bot.post(path, json={"state": "success", "context": "lint"})

    assert await built.world.told() == ["status", "status"]
    told = built.world.receiver.received[0].payload
    assert (told["sha"], told["state"], [each["name"] for each in told["branches"]]) == (
        built.head,
        "failure",
        ["fix/greeting"],
    )
    combined = (await bot.get(f"/repos/{REPO}/commits/{built.head}/status")).json()
    assert (combined["state"], combined["total_count"]) == ("failure", 2)
    listed = (await bot.get(f"/repos/{REPO}/commits/{built.head}/statuses")).json()
    assert [(each["context"], each["state"]) for each in listed] == [
        ("lint", "success"),
        ("ci", "failure"),
        ("ci", "pending"),
    ]


async def test_a_commit_takes_no_end_of_statuses_of_one_context(
    built: Built, bot: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statuses, "MOST", 2)
    path = f"/repos/{REPO}/statuses/{built.head}"
    answers = [await bot.post(path, json={"state": "pending", "context": "ci"}) for _ in range(3)]
    answers.append(await bot.post(path, json={"state": "pending", "context": "lint"}))
    assert [each.status_code for each in answers] == [201, 201, 422, 201]


async def test_a_status_needs_write_access_and_a_short_description(built: Built, bot: httpx.AsyncClient) -> None:
    with pytest.raises(RefusedError) as refused:
        await built.world.tracker.report_status(REPO, built.head, "success", by="cleo")
    assert refused.value.status == 403
    long = {"state": "success", "description": "x" * 141}
    answer = await bot.post(f"/repos/{REPO}/statuses/{built.head}", json=long)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "description")


async def test_the_page_of_a_pull_request_shows_the_checks_of_its_head(built: Built) -> None:
    tracker = built.world.tracker
    number = 1
    versions = [(await tracker.thread(REPO, number)).version]
    await tracker.report_check(REPO, built.head, "tests", "failure", by=built.bot)
    versions.append((await tracker.thread(REPO, number)).version)
    await tracker.report_status(REPO, built.head, "pending", by="ben", context="<b>deploy</b>", description="soon")
    versions.append((await tracker.thread(REPO, number)).version)
    page = await (await built.world.client(None)).get(f"/{REPO}/pull/{number}")

    shown = page.text.split("<h2>Checks")[1].split("</ul>")[0]
    assert [word in shown for word in ("failure", "tests", "pending", "&lt;b&gt;deploy&lt;/b&gt;", "soon")] == [
        True
    ] * 5
    assert versions == sorted(set(versions)), "the page notices each"
