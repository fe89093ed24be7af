"""The client that the bot uses for GitHub speaks to this tracker, and its models take the answers."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from githubkit import GitHub, Response, TokenAuthStrategy
from githubkit.exception import RequestFailed

from tests.trackers.embedded.conftest import BASE, HOOK_URL, REPO, World

OWNER, NAME = REPO.split("/")
Client = GitHub[TokenAuthStrategy]


def parsed(answer: Response[Any, Any]) -> Any:
    """Return the answer as the client's models see it; untyped, since mypy takes their ``list`` for a method."""
    return answer.parsed_data


@asynccontextmanager
async def client(world: World, login: str, *, path: str = "") -> AsyncIterator[Client]:
    transport = httpx.ASGITransport(world.tracker.app)
    github = GitHub(
        world.tokens[login], base_url=BASE + path, async_transport=transport, http_cache=False, auto_retry=False
    )
    async with github:
        yield github


@pytest.fixture
async def github(world: World) -> AsyncIterator[Client]:
    async with client(world, "trackside[bot]") as opened:
        yield opened


async def test_the_caller_and_the_repository_parse(github: Client) -> None:
    me = parsed(await github.rest.users.async_get_authenticated())
    repository = parsed(await github.rest.repos.async_get(OWNER, NAME))

    assert (me.login, me.type) == ("trackside[bot]", "Bot")
    assert (repository.full_name, repository.default_branch) == (REPO, "main")
    assert repository.clone_url.startswith("file:///")
    assert repository.owner.type == "Organization"


async def test_permissions_parse_and_an_unknown_account_has_none(world: World, github: Client) -> None:
    ask = github.rest.repos.async_get_collaborator_permission_level
    await world.tracker.grant(REPO, "cleo", "triage")

    triage = parsed(await ask(OWNER, NAME, "cleo"))
    with pytest.raises(RequestFailed) as unknown:
        await ask(OWNER, NAME, "nobody")

    assert (triage.permission, triage.role_name) == ("read", "triage")
    assert triage.user is not None
    assert triage.user.login == "cleo"
    assert unknown.value.response.status_code == 404


async def test_issues_labels_and_history_parse(github: Client) -> None:
    issues = github.rest.issues
    label = parsed(await issues.async_create_label(OWNER, NAME, name="run:work", color="1d76db", description="Start"))
    created = parsed(await issues.async_create(OWNER, NAME, title="One", body="text", labels=["run:work"]))
    number = created.number
    await issues.async_add_labels(OWNER, NAME, number, labels=["state:building"])
    await issues.async_remove_label(OWNER, NAME, number, "run:work")
    # Before it is closed, since the published description of this list knows no ``closed``.
    events = parsed(await issues.async_list_events(OWNER, NAME, number))
    closed = parsed(await issues.async_update(OWNER, NAME, number, state="closed", state_reason="completed"))
    listed = parsed(await issues.async_list_for_repo(OWNER, NAME, state="all", labels="state:building"))
    everywhere = parsed(await issues.async_list_events_for_repo(OWNER, NAME))

    assert (label.name, label.color) == ("run:work", "1d76db")
    assert closed.state == "closed"
    assert [issue.id for issue in listed] == [created.id]
    assert [event.event for event in events] == ["labeled", "labeled", "unlabeled"]
    assert [event.event for event in everywhere] == ["closed", "unlabeled", "labeled", "labeled"]
    assert [event.id for event in everywhere[1:]] == [event.id for event in reversed(events)]


async def test_comments_and_reactions_parse(github: Client) -> None:
    issues, reactions = github.rest.issues, github.rest.reactions
    await issues.async_create(OWNER, NAME, title="One")
    comment = parsed(await issues.async_create_comment(OWNER, NAME, 1, body="first"))
    edited = parsed(await issues.async_update_comment(OWNER, NAME, comment.id, body="second"))
    listed = parsed(await issues.async_list_comments(OWNER, NAME, 1))
    since = parsed(await issues.async_list_comments_for_repo(OWNER, NAME, since=edited.updated_at))
    reaction = parsed(await reactions.async_create_for_issue_comment(OWNER, NAME, comment.id, content="eyes"))
    on_issue = parsed(await reactions.async_create_for_issue(OWNER, NAME, 1, content="+1"))

    assert [each.body for each in listed] == ["second"]
    assert [each.id for each in since] == [comment.id]
    assert (reaction.content, on_issue.content) == ("eyes", "+1")


async def test_a_pull_request_parses_from_opening_to_merge(world: World, github: Client) -> None:
    pulls = github.rest.pulls
    sha = await world.tracker.commit(REPO, "fix", {"a.txt": "a\n"}, by="trackside[bot]")
    opened = parsed(
        await pulls.async_create(OWNER, NAME, title="Fix", head="fix", base="main", body="text", draft=False)
    )
    number = opened.number
    found = parsed(await pulls.async_list(OWNER, NAME, state="all", head=f"{OWNER}:fix"))
    await pulls.async_update(OWNER, NAME, number, title="Better")
    files = parsed(await pulls.async_list_files(OWNER, NAME, number))
    async with client(world, "ben") as ben:
        review = parsed(await ben.rest.pulls.async_create_review(OWNER, NAME, number, event="APPROVE"))
    reviews = parsed(await pulls.async_list_reviews(OWNER, NAME, number))
    merged = parsed(await pulls.async_merge(OWNER, NAME, number, sha=sha))
    shown = parsed(await pulls.async_get(OWNER, NAME, number))

    assert [each.head.sha for each in found] == [sha]
    assert [each.filename for each in files] == ["a.txt"]
    assert [each.state for each in reviews] == [review.state] == ["APPROVED"]
    assert (shown.title, shown.merged, merged.merged) == ("Better", True, True)


async def test_hooks_and_deliveries_parse(world: World) -> None:
    async with client(world, "ada") as github:
        repos = github.rest.repos
        hook = parsed(
            await repos.async_create_webhook(
                OWNER, NAME, config={"url": HOOK_URL, "secret": secrets.token_hex()}, events=["issues"]
            )
        )
        await world.tracker.deliver_pending()
        (ping,) = parsed(await repos.async_list_webhook_deliveries(OWNER, NAME, hook.id))
        again = await repos.async_redeliver_webhook_delivery(OWNER, NAME, hook.id, ping.id)
        shown = parsed(await repos.async_get_webhook_delivery(OWNER, NAME, hook.id, ping.id))

    assert (ping.event, ping.status_code) == ("ping", 202)
    assert again.status_code == 202
    assert shown.guid == ping.guid


async def test_the_enterprise_path_is_the_same(world: World) -> None:
    for number in range(2):
        await world.tracker.open_issue(REPO, by="ada", title=f"Issue {number}")
    async with client(world, "ada", path="/api/v3") as github:
        answer = await github.rest.issues.async_list_for_repo(OWNER, NAME, per_page=1)

    assert [issue.number for issue in parsed(answer)] == [2]
    assert f"{BASE}/api/v3/repos/{REPO}/issues?per_page=1&page=2" in answer.headers["Link"]
