"""From the API's JSON to the contract's values: only the fields in use, so that new ones never break anything."""

from __future__ import annotations

from bot.domain.permission import Permission
from bot.errors import TrackerError
from bot.trackers.contract import (
    Comment,
    Issue,
    IssueEvent,
    LineComment,
    Person,
    PullRequest,
    Repository,
    Review,
    Verdict,
)
from bot.trackers.github.fields import Fields

GHOST = Person(id=10137, login="ghost")
"""Who the tracker shows in place of an account that was deleted."""

_COARSE = {
    "admin": Permission.ADMIN,
    "write": Permission.WRITE,
    "read": Permission.READ,
    "none": Permission.NONE,
}
_FINE = {
    "admin": (Permission.ADMIN, "admin"),
    "maintain": (Permission.MAINTAIN, "write"),
    "write": (Permission.WRITE, "write"),
    "triage": (Permission.TRIAGE, "read"),
    "read": (Permission.READ, "read"),
}
"""By the name of a role: what it means, and the coarse word that the tracker has for it."""

_VERDICTS = {verdict.value.upper(): verdict for verdict in Verdict}


def person(account: Fields) -> Person:
    """Return an account."""
    login = account.text("login")
    bot = account.text_or_none("type") == "Bot" or login.endswith("[bot]")
    return Person(id=account.number("id"), login=login, bot=bot)


def permission(answer: Fields) -> Permission:
    """
    Return a collaborator's permission (ag-D02).

    The role's name is finer than the coarse word. It counts only where both agree: an organisation's own role is
    known by the coarse word alone, whatever it is called.
    """
    coarse = answer.text("permission")
    fine, word = _FINE.get(answer.text_or_none("role_name") or "", (Permission.NONE, ""))
    return fine if word == coarse else _COARSE.get(coarse, Permission.NONE)


def repository(answer: Fields) -> Repository:
    """Return a repository."""
    owner = answer.child("owner")
    return Repository(
        id=answer.number("id"),
        owner=owner.text("login"),
        owner_id=owner.number("id"),
        name=answer.text("name"),
        default_branch=answer.text("default_branch"),
        clone_url=answer.text("clone_url"),
    )


def issue(answer: Fields) -> Issue:
    """Return an issue, or the issue side of a pull request."""
    return Issue(
        number=answer.number("number"),
        title=answer.text("title"),
        body=answer.text_or_none("body") or "",
        open=answer.text("state") == "open",
        locked=answer.flag("locked"),
        labels=tuple(map(_label, answer.items("labels"))),
        author=_author(answer),
        is_pull_request=answer.child_or_none("pull_request") is not None,
        updated_at=answer.moment("updated_at"),
        url=answer.text("html_url"),
        assignees=tuple(Fields.of(each).text("login") for each in answer.list_or_empty("assignees")),
    )


def issue_event(answer: Fields, number: int) -> IssueEvent:
    """Return an entry of an issue's history; nobody is the actor when the account was deleted."""
    actor, label = answer.child_or_none("actor"), answer.child_or_none("label")
    return IssueEvent(
        id=answer.number("id"),
        number=number,
        kind=answer.text("event"),
        actor=None if actor is None else person(actor),
        label=None if label is None else label.text("name"),
        created_at=answer.moment("created_at"),
    )


def comment(answer: Fields) -> Comment:
    """Return a comment; its thread's number is the end of its issue's address."""
    number = answer.text("issue_url").rpartition("/")[2]
    if not number.isdigit():
        raise TrackerError("the tracker answered with a comment of no issue")
    return Comment(
        id=answer.number("id"),
        number=int(number),
        body=answer.text_or_none("body") or "",
        author=_author(answer),
        created_at=answer.moment("created_at"),
        updated_at=answer.moment("updated_at"),
    )


def review(answer: Fields, number: int) -> Review | None:
    """Return a review, or None for one that says nothing yet: its author is still at it, or its state is unknown."""
    verdict = _VERDICTS.get(answer.text("state"))
    if verdict is None:
        return None
    return Review(
        id=answer.number("id"),
        number=number,
        body=answer.text_or_none("body") or "",
        author=_author(answer),
        verdict=verdict,
        commit=answer.text_or_none("commit_id") or "",
        submitted_at=answer.moment("submitted_at"),
    )


def line_comment(answer: Fields) -> LineComment:
    """Return a comment on a line. In the list of a review, the line may be left out or be null."""
    return LineComment(
        id=answer.number("id"),
        path=answer.text("path"),
        line=None if answer.document.get("line") is None else answer.number("line"),
        body=answer.text("body"),
        author=_author(answer),
    )


def pull_request(answer: Fields) -> PullRequest:
    """Return a pull request. A list does not say ``merged``, but when."""
    head = answer.child("head")
    return PullRequest(
        number=answer.number("number"),
        title=answer.text("title"),
        body=answer.text_or_none("body") or "",
        open=answer.text("state") == "open",
        merged=answer.text_or_none("merged_at") is not None,
        draft=answer.flag("draft"),
        head_ref=head.text("ref"),
        head_sha=head.text("sha"),
        base_ref=answer.child("base").text("ref"),
        author=_author(answer),
        url=answer.text("html_url"),
        from_fork=_from_fork(answer),
    )


def from_own_branch(answer: Fields, head_ref: str) -> bool:
    """Return whether a pull request's head is this branch, of the repository that it was opened in."""
    return not _from_fork(answer) and answer.child("head").text("ref") == head_ref


def _from_fork(answer: Fields) -> bool:
    # By the id: a fork may have the same name, and one that was deleted has none at all (ag-D12).
    source, target = answer.child("head").child_or_none("repo"), answer.child("base").child("repo")
    return source is None or source.number("id") != target.number("id")


def _author(answer: Fields) -> Person:
    account = answer.child_or_none("user")
    return GHOST if account is None else person(account)


def _label(entry: object) -> str:
    return entry if isinstance(entry, str) else Fields.of(entry).text("name")
