"""What stands between the top and the foot of a thread: comments, reviews and what was done, in time order."""

from __future__ import annotations

from dataclasses import dataclass

from bot.trackers.embedded import comments, history, reviews
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.values import EVERYTHING, Comment, HistoryEntry, Review, ReviewState, Thread

_PHRASES = {
    "labeled": "added",
    "unlabeled": "removed",
    "closed": "closed this",
    "reopened": "reopened this",
    "merged": "merged commit",
    "renamed": "changed the title to",
    "locked": "locked the conversation",
    "unlocked": "unlocked the conversation",
    "ready_for_review": "marked this as ready for review",
}
_VERDICTS = {
    ReviewState.APPROVED: "approved",
    ReviewState.CHANGES_REQUESTED: "requested changes on",
    ReviewState.COMMENTED: "reviewed",
    ReviewState.DISMISSED: "gave a review, dismissed since, on",
}


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A comment in the timeline."""

    comment: Comment
    shape: str = "remark"

    @property
    def place(self) -> tuple[int, int]:
        """When it was written."""
        return self.comment.created_at, self.comment.id


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A review in the timeline."""

    review: Review
    shape: str = "verdict"

    @property
    def place(self) -> tuple[int, int]:
        """When it was submitted."""
        return self.review.submitted_at, self.review.id

    @property
    def phrase(self) -> str:
        """What the reviewer did."""
        return _VERDICTS[self.review.state]


@dataclass(frozen=True, kw_only=True)
class Deed:
    """An entry of the history in the timeline."""

    entry: HistoryEntry
    shape: str = "deed"

    @property
    def place(self) -> tuple[int, int]:
        """When it was done."""
        return self.entry.created_at, self.entry.id

    @property
    def phrase(self) -> str:
        """What was done."""
        return _PHRASES.get(self.entry.kind, self.entry.kind)


Item = Remark | Verdict | Deed


async def timeline(act: Act, thread: Thread) -> tuple[Item, ...]:
    """Return everything that was said and done, oldest first."""
    items: list[Item] = []
    items += [Remark(comment=each) for each in (await comments.of_thread(act, thread, EVERYTHING)).entries]
    items += [Deed(entry=each) for each in (await history.of_thread(act, thread, EVERYTHING)).entries]
    if thread.pull:
        items += [Verdict(review=each) for each in (await reviews.reviews_of(act, thread, EVERYTHING)).entries]
    return tuple(sorted(items, key=lambda item: item.place))
