"""
What can come in from the issue tracker, however it came.

A fact read from a delivery and the same fact read later through the API have the same natural key, so the
second one to arrive is not accepted again. A fact is a hint of what was said when: whatever a decision
depends on (state, head, permission) is asked for again at the moment of the decision.

A ``Wake`` is the exception to the common key. Payloads about labels and states carry no id of their entry
in the item's history, and their label sets may already be ahead of it. So such a delivery says only "look
at this item": what is found in its history is what counts, and has an id. Any number of wakes is harmless.
"""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass
from typing import ClassVar, Self

from bot.clock import Millis
from bot.trackers.contract import Comment, Person, PullRequest, Review, Verdict
from webhooks.access_facts import AccessFact
from webhooks.code_facts import ChecksFact, PushFact
from webhooks.fact_parts import FactKind, RepositoryRef, item_keys
from webhooks.reach import ReachFact
from webhooks.repository_facts import LabelFact, MovedFact, WorkflowFact
from webhooks.vote_facts import CommentDeletedFact


class ReviewAction(enum.Enum):
    """What happened to a review."""

    SUBMITTED = "submitted"
    EDITED = "edited"
    DISMISSED = "dismissed"


class PullAction(enum.Enum):
    """What happened to a pull request, as far as it concerns its Work; the values are the tracker's words."""

    OPENED = "opened"
    REOPENED = "reopened"
    CLOSED = "closed"
    SYNCHRONIZE = "synchronize"
    """Its head moved."""
    READY_FOR_REVIEW = "ready_for_review"


@dataclass(frozen=True, kw_only=True)
class Wake:
    """
    Something about an item changed: read its history and its state.

    ``delivery`` is the id of the delivery that said so. ``branch`` is the head of a pull request when that
    is a branch of the same repository. ``review`` is that of a comment on a line which was just written.
    """

    kind: ClassVar[FactKind] = FactKind.WAKE

    repository: RepositoryRef
    number: int
    delivery: str
    branch: str | None = None
    review: int | None = None

    @property
    def natural_key(self) -> str:
        """One wake per delivery, also when it is delivered again."""
        return f"wake:{self.delivery}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The item, and the branch of its pull request."""
        return item_keys(self.repository, self.number, self.branch)


@dataclass(frozen=True, kw_only=True)
class CommentFact:
    """
    A comment was written in a thread, or (``edited``) rewritten.

    ``version`` is when this text of it was written. ``previous_body`` is the text before the edit, when
    known: the API does not tell it.
    """

    kind: ClassVar[FactKind] = FactKind.COMMENT

    repository: RepositoryRef
    number: int
    comment_id: int
    author: Person
    body: str
    created_at: Millis
    version: Millis
    edited: bool = False
    previous_body: str | None = None
    on_pull_request: bool

    @property
    def natural_key(self) -> str:
        """The comment's id; each edit of it is a fact of its own."""
        key = f"comment:{self.repository.id}/{self.comment_id}"
        return f"{key}/edited/{self.version}" if self.edited else key

    @property
    def keys(self) -> tuple[str, ...]:
        """The item. A comment's payload does not tell the branch of a pull request."""
        return item_keys(self.repository, self.number, None)

    @classmethod
    def of(cls, repository: RepositoryRef, comment: Comment, *, on_pull_request: bool) -> Self:
        """
        Return the fact of a comment that was read through the API.

        One that was rewritten since counts as edited: nobody can tell any more what it said at first.
        """
        return cls(
            repository=repository,
            number=comment.number,
            comment_id=comment.id,
            author=comment.author,
            body=comment.body,
            created_at=comment.created_at,
            version=comment.updated_at,
            edited=comment.updated_at > comment.created_at,
            on_pull_request=on_pull_request,
        )


@dataclass(frozen=True, kw_only=True)
class ReviewFact:
    """
    A review of a pull request was submitted, rewritten or dismissed.

    ``commit`` is the commit it was given on, ``head_ref`` and ``head_sha`` the head when we learned of it.
    ``from_fork`` is true when the head is not a branch of the same repository, or of none any more.
    """

    kind: ClassVar[FactKind] = FactKind.REVIEW

    repository: RepositoryRef
    number: int
    review_id: int
    action: ReviewAction
    author: Person
    state: Verdict
    body: str
    commit: str
    submitted_at: Millis
    head_ref: str
    head_sha: str
    from_fork: bool

    @property
    def natural_key(self) -> str:
        """The review's id; its dismissal and each text it was rewritten to are facts of their own."""
        key = f"review:{self.repository.id}/{self.review_id}"
        match self.action:
            case ReviewAction.SUBMITTED:
                return key
            case ReviewAction.DISMISSED:
                return f"{key}/dismissed"
            case ReviewAction.EDITED:
                # Not every payload of an edited review says when it was edited; its text is always there.
                return f"{key}/edited/{hashlib.sha256(self.body.encode()).hexdigest()[:16]}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The pull request, and its branch."""
        return item_keys(self.repository, self.number, None if self.from_fork else self.head_ref)

    @classmethod
    def of(cls, repository: RepositoryRef, review: Review, pull: PullRequest, *, from_fork: bool) -> Self:
        """Return the fact of a review that was read through the API; ``pull`` is its pull request now."""
        dismissed = review.verdict is Verdict.DISMISSED
        return cls(
            repository=repository,
            number=review.number,
            review_id=review.id,
            action=ReviewAction.DISMISSED if dismissed else ReviewAction.SUBMITTED,
            author=review.author,
            state=review.verdict,
            body=review.body,
            commit=review.commit,
            submitted_at=review.submitted_at,
            head_ref=pull.head_ref,
            head_sha=pull.head_sha,
            from_fork=from_fork,
        )


@dataclass(frozen=True, kw_only=True)
class PullRequestFact:
    """
    A pull request came to be, moved or ended.

    ``sender`` is who did it; the API does not tell. ``from_fork`` is as for a review. The same action on
    the same head is one fact: a pull request that is closed a second time is found by the wake that comes
    with it.
    """

    kind: ClassVar[FactKind] = FactKind.PULL_REQUEST

    repository: RepositoryRef
    number: int
    action: PullAction
    head_ref: str
    head_sha: str
    base_ref: str
    author: Person
    merged: bool
    open: bool
    from_fork: bool
    sender: Person | None = None

    @property
    def natural_key(self) -> str:
        """What happened, and at which head."""
        return f"pull:{self.repository.id}/{self.number}/{self.action.value}/{self.head_sha}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The pull request, and its branch."""
        return item_keys(self.repository, self.number, None if self.from_fork else self.head_ref)

    @classmethod
    def of(cls, repository: RepositoryRef, pull: PullRequest, *, action: PullAction, from_fork: bool) -> Self:
        """Return the fact of a pull request read through the API, of which the caller knows what happened."""
        return cls(
            repository=repository,
            number=pull.number,
            action=action,
            head_ref=pull.head_ref,
            head_sha=pull.head_sha,
            base_ref=pull.base_ref,
            author=pull.author,
            merged=pull.merged,
            open=pull.open,
            from_fork=from_fork,
        )


@dataclass(frozen=True, kw_only=True)
class Ping:
    """The tracker says hello for a webhook that was just made, or that someone tests."""

    kind: ClassVar[FactKind] = FactKind.PING

    hook_id: int
    delivery: str

    @property
    def natural_key(self) -> str:
        """One per delivery."""
        return f"ping:{self.delivery}"

    @property
    def keys(self) -> tuple[str, ...]:
        """Nothing: a webhook is no item."""
        return ()


Fact = (
    Wake
    | CommentFact
    | CommentDeletedFact
    | ReviewFact
    | PullRequestFact
    | Ping
    | ChecksFact
    | PushFact
    | AccessFact
    | ReachFact
    | MovedFact
    | LabelFact
    | WorkflowFact
)
