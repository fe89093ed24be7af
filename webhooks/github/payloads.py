"""
The fields of GitHub's payloads that are in use here, and nothing else.

Narrow on purpose: a change of any other field by GitHub breaks nothing, and a payload is validated in a
fraction of the time that complete models take.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from bot.clock import Millis
from bot.trackers.contract import Person
from webhooks.fact_parts import RepositoryRef

GHOST = Person(id=10137, login="ghost")
"""The account that stands for deleted ones. It may do nothing anywhere."""


def _moment(value: object) -> Millis:
    if not isinstance(value, str):
        raise ValueError("not a moment")  # noqa: TRY004 - pydantic collects ValueError only
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        # Its own message quotes the value, which is a stranger's text.
        raise ValueError("not a moment") from None
    if moment.tzinfo is None:
        raise ValueError("a moment without a time zone")
    return Millis(round(moment.timestamp() * 1000))


def _without_nul(text: str) -> str:
    # As Markdown reads it; PostgreSQL cannot store the character.
    return text.replace("\0", "\ufffd")


Id = Annotated[int, Field(gt=0, le=2**63 - 1)]
Name = Annotated[str, Field(min_length=1)]
Text = Annotated[str, AfterValidator(_without_nul)]
Moment = Annotated[Millis, BeforeValidator(_moment)]


class Narrow(BaseModel):
    """A part of a payload: strict about the fields in use, blind to all others."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Account(Narrow):
    """A user, app or organisation."""

    id: Id
    login: Name
    type: str = "User"

    def person(self) -> Person:
        """Return the account as the rest of the bot knows it."""
        return Person(id=self.id, login=self.login, bot=self.type == "Bot")


def person(account: Account | None) -> Person:
    """Return the person; an account that was deleted is the ghost."""
    return GHOST if account is None else account.person()


class RepositoryPart(Narrow):
    """The repository that a delivery is about."""

    id: Id
    name: Name
    owner: Account

    def ref(self) -> RepositoryRef:
        """Return the reference to it."""
        return RepositoryRef(id=self.id, owner=self.owner.login, owner_id=self.owner.id, name=self.name)


class Numbered(Narrow):
    """An issue of which only the number is used."""

    number: Id


class IssueOfComment(Numbered):
    """The issue of a comment; ``pull_request`` is there when it is one."""

    pull_request: dict[str, object] | None = None


class CommentPart(Narrow):
    """A comment in a thread."""

    id: Id
    user: Account | None
    body: Text
    created_at: Moment
    updated_at: Moment


class TextBefore(Narrow):
    """A text before it was changed."""

    before: Text = Field(alias="from")


class CommentChanges(Narrow):
    """What an edit changed."""

    body: TextBefore | None = None


class ReviewPart(Narrow):
    """A review. Its text may be absent, and then is empty."""

    id: Id
    user: Account | None
    body: Text | None
    state: Literal["approved", "changes_requested", "commented", "dismissed"]
    commit_id: Name
    submitted_at: Moment


class HeadRepository(Narrow):
    """The repository that a branch is in."""

    id: Id


class Head(Narrow):
    """The branch that a pull request brings; its repository is null once that is deleted."""

    ref: Name
    sha: Name
    repo: HeadRepository | None

    def from_fork(self, repository: RepositoryPart) -> bool:
        """Return whether the branch is outside the repository; by id, since names can be taken over."""
        return self.repo is None or self.repo.id != repository.id


class Base(Narrow):
    """The branch that a pull request is to be merged into."""

    ref: Name


class PullPart(Narrow):
    """A pull request, as far as every event about it tells."""

    number: Id
    head: Head


class FullPullPart(PullPart):
    """A pull request as the events of its own tell it."""

    user: Account | None
    state: Literal["open", "closed"]
    merged: bool
    base: Base


class IssuesPayload(Narrow):
    """``issues``."""

    repository: RepositoryPart
    issue: Numbered


class CommentPayload(Narrow):
    """``issue_comment``."""

    repository: RepositoryPart
    issue: IssueOfComment
    comment: CommentPart
    changes: CommentChanges = CommentChanges()


class ReviewPayload(Narrow):
    """``pull_request_review``."""

    repository: RepositoryPart
    pull_request: PullPart
    review: ReviewPart


class PullWakePayload(Narrow):
    """``pull_request``, when it only tells that something changed."""

    repository: RepositoryPart
    pull_request: PullPart


class LinePart(Narrow):
    """A comment on a line. Its review may be null."""

    pull_request_review_id: Id | None


class LinePayload(PullWakePayload):
    """``pull_request_review_comment``."""

    comment: LinePart


class PullPayload(Narrow):
    """``pull_request``, when it tells what became of it."""

    repository: RepositoryPart
    pull_request: FullPullPart
    sender: Account


class PingPayload(Narrow):
    """``ping``."""

    hook_id: Id
