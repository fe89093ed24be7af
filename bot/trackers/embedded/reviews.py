"""Reviews of pull requests. A review is given on a commit and stays with it when the head moves on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import find_pull, find_thread
from bot.trackers.embedded.faults import forbidden, not_found, unprocessable
from bot.trackers.embedded.hooks import emit
from bot.trackers.embedded.lines import Remark, add_line
from bot.trackers.embedded.repositories import require, role_of
from bot.trackers.embedded.shapes.people import Json
from bot.trackers.embedded.shapes.pulls import pull_json, review_payload
from bot.trackers.embedded.texts import check_body
from bot.trackers.embedded.values import Listed, Repository, Review, ReviewState, Role, Thread, Window

VERDICTS = {
    "APPROVE": ReviewState.APPROVED,
    "REQUEST_CHANGES": ReviewState.CHANGES_REQUESTED,
    "COMMENT": ReviewState.COMMENTED,
}
"""What a reviewer may say, and the state that it makes."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_WITH_REMARKS = "remarks"
"""Stands for a text where there are remarks: a review needs the one or the other."""
_NOT_OWN = {
    "APPROVE": "Can not approve your own pull request",
    "REQUEST_CHANGES": "Can not request changes on your own pull request",
}


async def submit(
    act: Act,
    repository: Repository,
    number: int,
    verdict: str,
    body: str = "",
    *,
    commit: str | None = None,
    remarks: Sequence[Remark] = (),
) -> Review:
    """
    Submit a review on a commit, with remarks on its lines; None is the head that the tracker saw last.

    Raises ``RefusedError`` (422) for an unknown verdict, the author's own approval, a remark without text.
    """
    thread = await find_thread(act, repository, number)
    pull = await find_pull(act, thread)
    await _check(act, repository, thread, verdict, body or _WITH_REMARKS * bool(remarks), commit)
    identity = await act.tx.next_id()
    await act.tx.run(
        "review_insert",
        id=identity,
        thread=thread.id,
        author=act.actor.id,
        state=VERDICTS[verdict].value,
        body=body,
        commit_id=commit or pull.head_sha,
        now=act.now,
    )
    await act.tx.run("thread_touch", id=thread.id, now=act.now)
    review = await find(act, thread, identity)
    await _tell(act, repository, thread, review, "submitted")
    for remark in remarks:
        await add_line(act, repository, thread, review, remark)
    return review


async def _check(act: Act, repository: Repository, thread: Thread, verdict: str, body: str, commit: str | None) -> None:
    if verdict not in VERDICTS:
        raise unprocessable("Variable $event of type PullRequestReviewEvent was provided invalid value")
    if thread.author.id == act.actor.id and verdict in _NOT_OWN:
        raise unprocessable(_NOT_OWN[verdict])
    if verdict != "APPROVE" and not body.strip():
        raise unprocessable("Body cannot be blank")
    check_body("PullRequestReview", body)
    if commit is not None and _COMMIT.fullmatch(commit) is None:
        raise unprocessable("Variable $commitOID of type GitObjectID was provided invalid value")
    if thread.locked and not (await role_of(act, repository, act.actor)).allows(Role.WRITE):
        raise forbidden("Unable to create review because the pull request is locked.")


async def dismiss(act: Act, repository: Repository, number: int, identity: int) -> Review:
    """Dismiss an approval or a request for changes. Raises ``RefusedError`` (403, 404, 422)."""
    await require(act, repository, Role.WRITE)
    thread = await find_thread(act, repository, number)
    review = await find(act, thread, identity)
    if review.state not in {ReviewState.APPROVED, ReviewState.CHANGES_REQUESTED}:
        raise unprocessable("Can not dismiss a review that is neither an approval nor a request for changes")
    await act.tx.run("review_dismiss", id=identity)
    await act.tx.run("thread_touch", id=thread.id, now=act.now)
    dismissed = await find(act, thread, identity)
    await _tell(act, repository, thread, dismissed, "dismissed")
    return dismissed


async def find(act: Act, thread: Thread, identity: int) -> Review:
    """Return the review. Raises ``RefusedError`` (404)."""
    row = await act.tx.one("review_by_id", thread=thread.id, id=identity)
    if row is None:
        raise not_found()
    return rows.review(row)


async def reviews_of(act: Act, thread: Thread, window: Window) -> Listed[Review]:
    """Return a pull request's reviews, oldest first."""
    found = await act.tx.all("reviews_list", thread=thread.id, limit=window.limit, offset=window.offset)
    return rows.listed(found, rows.review)


async def _tell(act: Act, repository: Repository, thread: Thread, review: Review, action: str) -> None:
    pull = await find_pull(act, thread)
    body: Json = {
        "review": review_payload(act.links, repository, thread.number, review),
        "pull_request": pull_json(act.links, repository, thread, pull),
    }
    await emit(act, repository, "pull_request_review", action, body)
