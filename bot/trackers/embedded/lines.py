"""Comments on lines of a pull request's files. Each belongs to a review, also one that stands alone."""

from __future__ import annotations

from dataclasses import dataclass

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import find_pull
from bot.trackers.embedded.hooks import emit
from bot.trackers.embedded.shapes.lines import line_json
from bot.trackers.embedded.shapes.pulls import pull_json
from bot.trackers.embedded.texts import check_body
from bot.trackers.embedded.values import LineComment, Listed, Repository, Review, Thread, Window


@dataclass(frozen=True, kw_only=True)
class Remark:
    """What somebody says of a line."""

    path: str
    line: int
    body: str


async def add_line(act: Act, repository: Repository, thread: Thread, review: Review, remark: Remark) -> None:
    """Add a comment on a line to a review that was just submitted. Raises ``RefusedError`` (422)."""
    check_body("PullRequestReviewComment", remark.body)
    identity = await act.tx.next_id()
    await act.tx.run(
        "line_insert",
        id=identity,
        thread=thread.id,
        review=review.id,
        author=review.author.id,
        path=remark.path,
        line=remark.line,
        body=remark.body,
        commit_id=review.commit_id,
        now=act.now,
    )
    (row,) = await act.tx.all("line_by_id", id=identity)
    added, pull = rows.line_comment(row), await find_pull(act, thread)
    await emit(
        act,
        repository,
        "pull_request_review_comment",
        "created",
        {
            "comment": line_json(act.links, repository, thread.number, added),
            "pull_request": pull_json(act.links, repository, thread, pull),
        },
    )


async def of_review(act: Act, review: Review, window: Window) -> Listed[LineComment]:
    """Return the comments on lines of a review, oldest first."""
    found = await act.tx.all("lines_of_review", review=review.id, limit=window.limit, offset=window.offset)
    return rows.listed(found, rows.line_comment)


async def of_thread(act: Act, thread: Thread, window: Window) -> Listed[LineComment]:
    """Return the comments on lines of a pull request, oldest first."""
    found = await act.tx.all("lines_of_thread", thread=thread.id, limit=window.limit, offset=window.offset)
    return rows.listed(found, rows.line_comment)
