from __future__ import annotations

import json

import pytest
import respx

from bot.trackers.checks import Conclusion, Maker, MakerKind, Shown
from bot.trackers.github.checks import MAX_DESCRIPTION
from bot.trackers.github.tracker import GithubTracker
from tests.trackers.github.documents import API, REPO, Json

SHA = "a" * 40


def run(identity: int, **fields: object) -> Json:
    ended = {"status": "completed", "conclusion": "success"}
    return {"id": identity, "name": f"run {identity}", "app": {"id": 5}, "external_id": "x", **ended, **fields}


def status(identity: int, state: str, *, creator: int = 7) -> Json:
    return {"id": identity, "context": "ci", "state": state, "creator": {"id": creator}, "target_url": None}


async def test_check_runs_of_every_page_and_the_latest_statuses_are_one_list(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    runs = [run(1), run(2, status="queued", conclusion=None), run(3, conclusion="brand_new", app=None)]
    for page, part in enumerate((runs[:2], runs[2:]), start=1):
        route = api.get(f"{API}/commits/{SHA}/check-runs", params={"page": page, "per_page": 100, "filter": "latest"})
        route.respond(json={"total_count": 3, "check_runs": part})
    api.get(f"{API}/commits/{SHA}/statuses").respond(json=[status(9, "error"), status(8, "success", creator=5)])

    found = await tracker.checks(REPO, SHA)

    assert [(each.id, each.conclusion, each.maker) for each in found] == [
        (1, Conclusion.SUCCESS, Maker(MakerKind.APP, 5)),
        (2, None, Maker(MakerKind.APP, 5)),
        (3, Conclusion.FAILURE, None),
        (9, Conclusion.FAILURE, Maker(MakerKind.ACCOUNT, 7)),
    ]


async def test_an_open_check_has_no_conclusion_and_an_ended_one_has(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    created = api.post(f"{API}/check-runs").respond(201, json={"id": 4})
    updated = api.patch(f"{API}/check-runs/4").respond(json={"id": 4})

    identity = await tracker.create_check(REPO, SHA, Shown(name="gate", conclusion=None, title="Waits"), external="h1")
    await tracker.update_check(REPO, identity, Shown(name="gate", conclusion=Conclusion.SUCCESS, title="Done"))

    first, second = (json.loads(route.calls.last.request.content) for route in (created, updated))
    assert (first["status"], first["external_id"], "conclusion" in first) == ("in_progress", "h1", False)
    assert (second["status"], second["conclusion"]) == ("completed", "success")


@pytest.mark.parametrize(
    ("conclusion", "state"),
    [(None, "pending"), (Conclusion.NEUTRAL, "success"), (Conclusion.ACTION_REQUIRED, "failure")],
)
async def test_a_status_says_its_title_as_far_as_it_fits(
    api: respx.MockRouter, tracker: GithubTracker, conclusion: Conclusion | None, state: str
) -> None:
    route = api.post(f"{API}/statuses/{SHA}").respond(201, json={})

    await tracker.set_status(REPO, SHA, Shown(name="gate", conclusion=conclusion, title="x" * 200))

    sent = json.loads(route.calls.last.request.content)
    assert (sent["state"], len(sent["description"]), "target_url" in sent) == (state, MAX_DESCRIPTION, False)
