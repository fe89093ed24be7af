"""What answers mean: permissions, people, reviews, labels, pull requests."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import respx

from bot.domain.permission import Permission
from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.contract import Verdict
from bot.trackers.github.tracker import GithubTracker
from tests.trackers.github.documents import API, BASE, REPO, account, comment, event, issue, pull, repository, review

LABEL = {"color": "ededed", "description": "Starts"}


# ag-D02
# gh-K-06
@pytest.mark.parametrize(
    ("answer", "permission"),
    [
        ({"permission": "admin", "role_name": "admin"}, Permission.ADMIN),
        ({"permission": "write", "role_name": "maintain"}, Permission.MAINTAIN),
        ({"permission": "write", "role_name": "write"}, Permission.WRITE),
        ({"permission": "read", "role_name": "triage"}, Permission.TRIAGE),
        ({"permission": "read", "role_name": "read"}, Permission.READ),
        ({"permission": "none", "role_name": ""}, Permission.NONE),
        # An organisation's own role, and an older tracker that names none.
        ({"permission": "write", "role_name": "release captain"}, Permission.WRITE),
        ({"permission": "write"}, Permission.WRITE),
        ({"permission": "write", "role_name": None}, Permission.WRITE),
        # A role that calls itself more than it is.
        ({"permission": "read", "role_name": "admin"}, Permission.READ),
        ({"permission": "owner", "role_name": "owner"}, Permission.NONE),
    ],
)
async def test_a_permission_is_what_the_role_allows(
    api: respx.MockRouter, tracker: GithubTracker, answer: dict[str, Any], permission: Permission
) -> None:
    document = {**answer, "user": account("ben", author_association="MEMBER")}
    api.get(f"{API}/collaborators/ben/permission").mock(return_value=httpx.Response(200, json=document))

    assert await tracker.permission(REPO, "ben") == permission


# gh-K-07
@pytest.mark.parametrize(
    ("user", "permission"),
    [(account("ben", id=5), Permission.WRITE), (account("ben", id=6), Permission.NONE), (None, Permission.NONE)],
)
async def test_a_permission_is_that_of_the_account_that_was_meant(
    api: respx.MockRouter, tracker: GithubTracker, user: dict[str, Any] | None, permission: Permission
) -> None:
    document = {"permission": "write", "role_name": "write", "user": user}
    api.get(f"{API}/collaborators/ben/permission").mock(return_value=httpx.Response(200, json=document))

    assert await tracker.permission(REPO, "ben", account=5) is permission


# gh-K-07
async def test_a_login_is_that_of_an_account_or_of_nobody(api: respx.MockRouter, tracker: GithubTracker) -> None:
    api.get(f"{BASE}/users/ben").respond(json=account("ben", id=5))
    api.get(f"{BASE}/users/helper%5Bbot%5D").respond(404)

    assert await tracker.account_of("ben") == 5
    assert await tracker.account_of("helper[bot]") is None


# ag-D02
async def test_an_unknown_account_has_no_permission(api: respx.MockRouter, tracker: GithubTracker) -> None:
    answer = httpx.Response(404, json={"message": "nobody is not a user"})
    api.get(f"{API}/collaborators/nobody/permission").mock(return_value=answer)

    assert await tracker.permission(REPO, "nobody") is Permission.NONE


# ag-D02
@pytest.mark.parametrize("status", [401, 403, 500])
async def test_a_permission_that_cannot_be_checked_is_no_permission_but_an_error(
    api: respx.MockRouter, tracker: GithubTracker, status: int
) -> None:
    answer = httpx.Response(status, json={"message": "Must have push access"})
    api.get(f"{API}/collaborators/ben/permission").mock(return_value=answer)

    with pytest.raises(TrackerError):
        await tracker.permission(REPO, "ben")


async def test_the_login_of_an_app_is_asked_for_as_it_is(api: respx.MockRouter, tracker: GithubTracker) -> None:
    answer = httpx.Response(200, json={"permission": "write", "role_name": "write"})
    route = api.get(f"{API}/collaborators/helper%5Bbot%5D/permission").mock(return_value=answer)

    await tracker.permission(REPO, "helper[bot]")

    assert route.call_count == 1


@pytest.mark.parametrize(
    ("document", "bot"),
    [
        (account("ada"), False),
        (account("helper[bot]"), True),
        (account("helper", type="Bot"), True),
        (account("robot", type=None), False),
    ],
)
async def test_bots_are_told_from_people(
    api: respx.MockRouter, tracker: GithubTracker, document: dict[str, Any], *, bot: bool
) -> None:
    api.get(f"{BASE}/user").mock(return_value=httpx.Response(200, json=document))

    assert (await tracker.me()).bot is bot


async def test_a_deleted_account_is_nobody_in_the_history_and_a_ghost_in_the_thread(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    entries = [event(1, actor=None), event(2, event="closed", label=None)]
    api.get(f"{API}/issues/3/events").mock(return_value=httpx.Response(200, json=entries))
    api.get(f"{API}/issues/3/comments").mock(return_value=httpx.Response(200, json=[comment(1, user=None)]))

    gone, closed = await tracker.issue_events(REPO, 3)
    (said,) = await tracker.comments(REPO, 3)

    assert (gone.actor, gone.label, gone.number) == (None, "run:work", 3)
    assert (closed.kind, closed.label) == ("closed", None)
    assert said.author.login == "ghost"


async def test_history_is_told_oldest_first(api: respx.MockRouter, tracker: GithubTracker) -> None:
    entries = [event(1), event(3), event(2)]
    api.get(f"{API}/issues/3/events").mock(return_value=httpx.Response(200, json=entries))

    assert [each.id for each in await tracker.issue_events(REPO, 3, after=1)] == [2, 3]


async def test_a_list_of_issues_tells_which_are_pull_requests(api: respx.MockRouter, tracker: GithubTracker) -> None:
    entries = [issue(1, labels=["run:work", {"name": "bug"}]), issue(2, pull_request={"url": "there"})]
    api.get(f"{API}/issues").mock(return_value=httpx.Response(200, json=entries))

    found, pull = await tracker.issues(REPO, label="run:work")

    assert (found.number, found.labels, found.body) == (1, ("run:work", "bug"), "")
    assert [each.is_pull_request for each in (found, pull)] == [False, True]


async def test_an_issue_that_was_moved_away_is_missing(api: respx.MockRouter, tracker: GithubTracker) -> None:
    there = f"{BASE}/repositories/12/issues/1"
    api.get(f"{API}/issues/1").mock(return_value=httpx.Response(301, headers={"Location": there}))
    # Its new number may be the old one.
    moved = issue(1, repository_url=f"{BASE}/repos/acme/other")
    api.get(there).mock(return_value=httpx.Response(200, json=moved))
    api.get(API).mock(return_value=httpx.Response(200, json=repository()))

    with pytest.raises(TrackerMissingError, match="acme/other"):
        await tracker.issue(REPO, 1)


async def test_an_issue_of_a_renamed_repository_is_not_missing(api: respx.MockRouter, tracker: GithubTracker) -> None:
    there = f"{BASE}/repositories/11"
    api.get(f"{API}/issues/1").mock(return_value=httpx.Response(301, headers={"Location": f"{there}/issues/1"}))
    renamed = issue(1, repository_url=f"{BASE}/repos/acme/store")
    api.get(f"{there}/issues/1").mock(return_value=httpx.Response(200, json=renamed))
    api.get(API).mock(return_value=httpx.Response(301, headers={"Location": there}))
    api.get(there).mock(return_value=httpx.Response(200, json=repository("store")))

    assert (await tracker.issue(REPO, 1)).number == 1


async def test_only_submitted_reviews_count(api: respx.MockRouter, tracker: GithubTracker) -> None:
    entries = [
        review(1, "APPROVED"),
        review(2, "PENDING", submitted_at=None),
        review(3, "CHANGES_REQUESTED", commit_id=None),
        review(4, "COMMENTED"),
        review(5, "DISMISSED"),
        review(6, "ENDORSED"),
    ]
    api.get(f"{API}/pulls/3/reviews").mock(return_value=httpx.Response(200, json=entries))

    found = await tracker.reviews(REPO, 3)

    assert [(each.id, each.verdict) for each in found] == [
        (1, Verdict.APPROVED),
        (3, Verdict.CHANGES_REQUESTED),
        (4, Verdict.COMMENTED),
        (5, Verdict.DISMISSED),
    ]
    assert found[1].commit == ""


async def test_the_newest_pull_request_of_our_own_branch_is_found(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    entries = [
        pull(4, state="closed", merged_at="2026-12-01T12:00:00Z"),
        pull(6, state="closed"),
        pull(7, source=12),
        pull(8, source=None),
        pull(9, ref="fix-more"),
    ]
    route = api.get(f"{API}/pulls").mock(return_value=httpx.Response(200, json=entries))

    found = await tracker.find_pull_request(REPO, head_ref="fix")

    assert found is not None
    assert (found.number, found.open, found.merged) == (6, False, False)
    assert route.calls.last.request.url.params["head"] == "acme:fix"
    assert route.calls.last.request.url.params["state"] == "all"


async def test_no_pull_request_is_none(api: respx.MockRouter, tracker: GithubTracker) -> None:
    api.get(f"{API}/pulls").mock(return_value=httpx.Response(200, json=[]))

    assert await tracker.find_pull_request(REPO, head_ref="fix") is None


async def test_a_label_that_people_made_is_left_as_it_is(api: respx.MockRouter, tracker: GithubTracker) -> None:
    # A write would have no route.
    api.get(f"{API}/labels/run%3Awork").mock(return_value=httpx.Response(200, json={}))

    await tracker.ensure_label(REPO, "run:work", **LABEL)


async def test_a_label_that_is_made_meanwhile_is_fine(api: respx.MockRouter, tracker: GithubTracker) -> None:
    taken = {"message": "Validation Failed", "errors": [{"code": "already_exists"}]}
    api.get(f"{API}/labels/run%3Awork").mock(side_effect=[httpx.Response(404), httpx.Response(200, json={})])
    api.post(f"{API}/labels").mock(return_value=httpx.Response(422, json=taken))

    await tracker.ensure_label(REPO, "run:work", **LABEL)


async def test_a_label_that_cannot_be_made_is_an_error(api: respx.MockRouter, tracker: GithubTracker) -> None:
    invalid = {"message": "Validation Failed", "errors": [{"field": "color", "code": "invalid"}]}
    api.get(f"{API}/labels/run%3Awork").mock(return_value=httpx.Response(404))
    api.post(f"{API}/labels").mock(return_value=httpx.Response(422, json=invalid))

    with pytest.raises(TrackerError, match="color invalid"):
        await tracker.ensure_label(REPO, "run:work", **LABEL)


async def test_taking_off_a_label_that_is_not_there_is_fine(api: respx.MockRouter, tracker: GithubTracker) -> None:
    path = f"{API}/issues/3/labels/run%3Awork"
    api.delete(path).mock(return_value=httpx.Response(404, json={"message": "Label does not exist"}))

    await tracker.remove_label(REPO, 3, "run:work")


async def test_taking_off_a_label_without_being_allowed_is_an_error(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    api.delete(f"{API}/issues/3/labels/run%3Awork").mock(return_value=httpx.Response(403, json={"message": "no"}))

    with pytest.raises(TrackerError):
        await tracker.remove_label(REPO, 3, "run:work")
