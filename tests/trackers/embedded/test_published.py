"""Each endpoint answers as GitHub publishes it, with success and with a refusal; other tests here are judged, too."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import httpx
import jwt
import pytest
from starlette.routing import Route

from bot.clock import SECOND
from bot.trackers.embedded import rest
from bot.trackers.embedded.apps import Manifest
from tests.published.description import Operation, description
from tests.published.watch import Watched
from tests.trackers.embedded.conftest import BASE, HOOK_URL, REPO, World
from tests.trackers.github.apps import pem

API = f"/repos/{REPO}"
MANIFEST = Manifest(
    name="Trackside of acme", url="https://example.org", hook_url=HOOK_URL, permissions={"checks": "write"}
)
REDIRECTED = "/repositories/"
"""Where GitHub sends who asks for a renamed repository; it is documented nowhere else."""


@dataclass
class Asking:
    """Asks as the administrator, unless it is said by which header else; every answer is judged."""

    world: World
    watched: Watched
    http: httpx.AsyncClient

    async def __call__(self, method: str, path: str, body: object = None, by: dict[str, str] | None = None) -> Any:
        """Return the document of an answer that is a success."""
        headers = by or {"Authorization": f"Bearer {self.world.tokens['ada']}"}
        answer = await self.http.request(method, path, json=body, headers=headers)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None


@pytest.fixture
async def asking(world: World) -> Asking:
    watched = Watched(httpx.ASGITransport(world.tracker.app))
    http = httpx.AsyncClient(transport=watched, base_url=BASE)
    return Asking(world, watched, await world.stack.enter_async_context(http))


async def repositories(ask: Asking) -> None:
    for path in ("/user", "/users/ben", API, f"{API}/collaborators/ben/permission"):
        await ask("GET", path)
    await ask("POST", f"{API}/labels", {"name": "state:a/b", "color": "ededed", "description": "text"})
    await ask("GET", f"{API}/labels")
    await ask("GET", f"{API}/labels/state%3Aa%2Fb")


async def issues(ask: Asking) -> None:
    for name in ("bug", "later"):
        await ask("POST", f"{API}/labels", {"name": name})
    one = f"{API}/issues/{(await ask('POST', f'{API}/issues', {'title': 'One', 'labels': ['bug']}))['number']}"
    await ask("PATCH", one, {"title": "Two", "state": "closed", "state_reason": "not_planned"})
    for path in (f"{API}/issues?state=all", f"{API}/issues/events", one, f"{one}/labels", f"{one}/events"):
        await ask("GET", path)
    await ask("POST", f"{one}/labels", {"labels": ["later"]})
    await ask("DELETE", f"{one}/labels/later")
    for method in ("POST", "DELETE"):
        await ask(method, f"{one}/assignees", {"assignees": ["ben"]})
    await ask("PUT", f"{one}/lock")
    await ask("DELETE", f"{one}/lock")


async def comments(ask: Asking) -> None:
    one = f"{API}/issues/{(await ask('POST', f'{API}/issues', {'title': 'One'}))['number']}"
    comment = f"{API}/issues/comments/{(await ask('POST', f'{one}/comments', {'body': 'text'}))['id']}"
    await ask("PATCH", comment, {"body": "more"})
    for path in (f"{API}/issues/comments", f"{one}/comments", comment):
        await ask("GET", path)
    for subject in (one, comment):
        reaction = await ask("POST", f"{subject}/reactions", {"content": "eyes"})
        await ask("POST", f"{subject}/reactions", {"content": "eyes"})
        await ask("GET", f"{subject}/reactions")
        await ask("DELETE", f"{subject}/reactions/{reaction['id']}")
    await ask("DELETE", comment)


async def pull(ask: Asking, branch: str, by: str) -> str:
    await ask.world.tracker.commit(REPO, branch, {f"{branch}.py": "one\ntwo\n"}, by=by)
    number = (await ask.world.tracker.open_pull(REPO, by=by, title="Fix", head=branch)).number
    return f"{API}/pulls/{number}"


async def pulls(ask: Asking) -> None:
    await ask.world.tracker.commit(REPO, "more", {"more.py": "one\n"}, by="ada")
    opened = await ask("POST", f"{API}/pulls", {"title": "Fix", "head": "more", "base": "main", "draft": False})
    one = f"{API}/pulls/{opened['number']}"
    await ask("PATCH", one, {"title": "Better", "body": "more"})
    for path in (f"{API}/pulls?state=all", one, f"{one}/files"):
        await ask("GET", path)
    await ask("PUT", f"{one}/merge", {"merge_method": "squash"})
    await ask("GET", one)


async def reviews(ask: Asking) -> None:
    one = await pull(ask, "fix", "ben")
    head = (await ask("GET", one))["head"]["sha"]
    line = {"path": "fix.py", "line": 1, "body": "Why?"}
    review = f"{one}/reviews/{(await ask('POST', f'{one}/reviews', {'event': 'APPROVE', 'comments': [line]}))['id']}"
    await ask("POST", f"{one}/comments", {**line, "commit_id": head})
    for path in (f"{one}/reviews", review, f"{review}/comments", f"{one}/comments"):
        await ask("GET", path)
    await ask("PUT", f"{review}/dismissals", {"message": "Changed since."})


async def hooks(ask: Asking) -> None:
    config = {"url": HOOK_URL, "content_type": "json"}
    made = await ask("POST", f"{API}/hooks", {"config": config, "events": ["issues"]})
    await ask.world.told()
    hook = f"{API}/hooks/{made['id']}"
    await ask("PATCH", hook, {"active": False})
    for path in (f"{API}/hooks", hook):
        await ask("GET", path)
    (delivery,) = await ask("GET", f"{hook}/deliveries")
    await ask("GET", f"{hook}/deliveries/{delivery['id']}")
    await ask("POST", f"{hook}/deliveries/{delivery['id']}/attempts")


async def teams(ask: Asking) -> None:
    await ask.world.tracker.set_team("acme", "reviewers", "ben")
    await ask("GET", "/orgs/acme/teams/reviewers")
    await ask("GET", "/orgs/acme/teams/reviewers/memberships/ben")


async def statuses(ask: Asking) -> None:
    sha = await ask.world.tracker.commit(REPO, "fix", {"a.py": "one\n"}, by="ada")
    await ask("POST", f"{API}/statuses/{sha}", {"state": "success", "context": "gate", "description": "Done"})
    for what in ("status", "statuses"):
        await ask("GET", f"{API}/commits/{sha}/{what}")


async def installed(ask: Asking) -> tuple[int, dict[str, str], dict[str, str]]:
    """Return an installation, by what the App asks for itself, and by what it asks as the installation."""
    tracker = ask.world.tracker
    app, _ = await tracker.add_app("acme", MANIFEST, pem=pem())
    installation = (await tracker.install(app.slug, "acme", [REPO])).id
    now = ask.world.clock.now() // SECOND
    claims = {"iat": now - 60, "exp": now + 540, "iss": str(app.id)}
    itself = {"Authorization": f"Bearer {jwt.encode(claims, pem(), 'RS256')}"}
    minted = await ask("POST", f"/app/installations/{installation}/access_tokens", {}, by=itself)
    return installation, itself, {"Authorization": f"token {minted['token']}"}


async def apps(ask: Asking) -> None:
    installation, itself, minted = await installed(ask)
    await ask.world.told()
    for path in (
        "/app",
        "/app/installations",
        f"/app/installations/{installation}",
        f"{API}/installation",
        "/orgs/acme/installation",
        "/users/acme/installation",
        "/app/hook/config",
    ):
        await ask("GET", path, by=itself)
    await ask("GET", "/installation/repositories", by=minted)
    await ask("PATCH", "/app/hook/config", {"url": HOOK_URL}, by=itself)
    delivery, *_ = await ask("GET", "/app/hook/deliveries", by=itself)
    await ask("GET", f"/app/hook/deliveries/{delivery['id']}", by=itself)
    await ask("POST", f"/app/hook/deliveries/{delivery['id']}/attempts", by=itself)


async def checks(ask: Asking) -> None:
    _, _, minted = await installed(ask)
    sha = await ask.world.tracker.commit(REPO, "fix", {"a.py": "one\n"}, by="ada")
    output = {"title": "Waits", "summary": "text"}
    run = await ask("POST", f"{API}/check-runs", {"name": "gate", "head_sha": sha, "output": output}, by=minted)
    one = f"{API}/check-runs/{run['id']}"
    await ask("PATCH", one, {"status": "completed", "conclusion": "success"}, by=minted)
    for path in (one, f"{API}/commits/{sha}/check-runs", f"{API}/commits/{sha}/check-suites"):
        await ask("GET", path, by=minted)


GROUPS: dict[str, Callable[[Asking], Awaitable[None]]] = {
    walk.__name__: walk
    for walk in (apps, checks, comments, hooks, issues, pulls, repositories, reviews, statuses, teams)
}
"""By the name of a file of routes."""
ELSEWHERE = frozenset({"POST /app-manifests/{code}/conversions"})
"""Needs what a person does on pages; test_manifests has it."""


def routes(group: str) -> Iterator[tuple[str, str, Operation]]:
    """Yield what a file serves: a method, a path at which nothing is, and its operation."""
    for route in import_module(f"{rest.__name__}.{group}").ROUTES:
        assert isinstance(route, Route)
        nowhere = re.sub(r"\{\w+:int\}", "999", route.path)
        path = re.sub(r"\{\w+(:path)?\}", "nothing", nowhere)
        for method in sorted((route.methods or set()) - {"HEAD"}):
            if not path.startswith(REDIRECTED):
                yield method, path, description().operation(method, path)


def test_no_file_of_routes_is_left_out() -> None:
    files = {each.name for each in pkgutil.iter_modules(rest.__path__)}
    serving = {name for name in files if hasattr(import_module(f"{rest.__name__}.{name}"), "ROUTES")}

    assert serving == set(GROUPS)


@pytest.mark.parametrize("group", GROUPS)
async def test_every_success_is_answered_as_it_is_published(asking: Asking, group: str) -> None:
    await GROUPS[group](asking)

    succeeded = {operation for operation, status in asking.watched.answered if status < 300}
    assert {str(served) for _, _, served in routes(group) if served not in succeeded} <= ELSEWHERE
    assert asking.watched.faults == []


@pytest.mark.parametrize("group", GROUPS)
async def test_every_refusal_is_answered_as_it_is_published(asking: Asking, group: str) -> None:
    """Of what is not there, of who is nobody, and of a body that makes no sense."""
    watched = asking.watched
    watched.requests = False
    stranger = {"Authorization": "Bearer nobody"}
    for method, path, operation in routes(group):
        for headers in ({"Authorization": f"Bearer {asking.world.tokens['ada']}"}, stranger):
            answer = await asking.http.request(method, path, json={"title": [], "body": 3}, headers=headers)
            assert 400 <= answer.status_code < 500 or operation.path == "/user", f"{operation}: {answer.status_code}"
    assert watched.faults == []
