"""From the rows of the database to values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from bot.clock import Millis
from bot.trackers.embedded.store import Row
from bot.trackers.embedded.values import (
    Account,
    AccountKind,
    Comment,
    Delivery,
    HistoryEntry,
    Hook,
    Label,
    LineComment,
    Listed,
    Measure,
    Pull,
    Reaction,
    Repository,
    Review,
    ReviewState,
    Thread,
)

T = TypeVar("T")


def listed(rows: Sequence[Row], read: Callable[[Row], T]) -> Listed[T]:
    """Return the values of a window's rows, which carry the ``total``."""
    return Listed(entries=tuple(read(row) for row in rows), total=rows[0]["total"] if rows else 0)


def account(row: Row) -> Account:
    """Read an account."""
    kind = AccountKind(row["kind"])
    return Account(id=row["id"], login=row["login"], kind=kind, name=row["name"], created_at=Millis(row["created_at"]))


def joined(row: Row, prefix: str, identity: str) -> Account:
    """Read an account that a view joined to its row, as columns that begin with ``prefix``."""
    fields = {field: row[f"{prefix}_{field}"] for field in ("login", "kind", "name", "created_at")}
    return account({"id": row[identity], **fields})


def moment(value: int | None) -> Millis | None:
    """Read a moment that may be missing."""
    return None if value is None else Millis(value)


def _counts(value: str | None) -> Mapping[str, int]:
    return {} if value is None else json.loads(value)


def repository(row: Row) -> Repository:
    """Read a repository with its owner."""
    return Repository(
        id=row["id"],
        owner=joined(row, "owner", "owner"),
        name=row["name"],
        default_branch=row["default_branch"],
        private=bool(row["private"]),
        created_at=Millis(row["created_at"]),
        open_threads=row["open_threads"],
    )


def label(row: Row) -> Label:
    """Read a label."""
    return Label(id=row["id"], name=row["name"], color=row["color"], description=row["description"])


def thread(row: Row) -> Thread:
    """Read a thread with its people, labels and reactions."""
    return Thread(
        id=row["id"],
        number=row["number"],
        title=row["title"],
        body=row["body"],
        author=joined(row, "author", "author"),
        association=row["association"],
        open=row["state"] == "open",
        state_reason=row["state_reason"],
        locked=bool(row["locked"]),
        labels=tuple(label(entry) for entry in json.loads(row["labels"])),
        assignees=tuple(account(entry) for entry in json.loads(row["assignees"])),
        reactions=_counts(row["reactions"]),
        comment_count=row["comment_count"],
        pull=bool(row["pull"]),
        draft=bool(row["draft"]),
        merged_at=moment(row["merged_at"]),
        version=row["version"],
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
        closed_at=moment(row["closed_at"]),
        closed_by=None if row["closed_by"] is None else joined(row, "closer", "closed_by"),
    )


def comment(row: Row) -> Comment:
    """Read a comment with its author and reactions."""
    return Comment(
        id=row["id"],
        number=row["number"],
        on_pull=bool(row["pull"]),
        author=joined(row, "author", "author"),
        association=row["association"],
        body=row["body"],
        reactions=_counts(row["reactions"]),
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
    )


def reaction(row: Row) -> Reaction:
    """Read a reaction with its account."""
    return Reaction(
        id=row["id"],
        account=joined(row, "account", "account"),
        content=row["content"],
        created_at=Millis(row["created_at"]),
    )


def history(row: Row) -> HistoryEntry:
    """Read an entry of a thread's history."""
    return HistoryEntry(
        id=row["id"],
        number=row["number"],
        actor=joined(row, "actor", "actor"),
        kind=row["kind"],
        detail=json.loads(row["detail"]),
        commit_id=row["commit_id"],
        created_at=Millis(row["created_at"]),
    )


def pull(row: Row) -> Pull:
    """Read the pull request side of a thread."""
    return Pull(
        id=row["id"],
        thread_id=row["thread"],
        number=row["number"],
        head_ref=row["head_ref"],
        head_sha=row["head_sha"],
        base_ref=row["base_ref"],
        base_sha=row["base_sha"],
        draft=bool(row["draft"]),
        measure=Measure(
            commits=row["commits"],
            additions=row["additions"],
            deletions=row["deletions"],
            changed_files=row["changed_files"],
            mergeable=bool(row["mergeable"]),
        ),
        merged_at=moment(row["merged_at"]),
        merged_by=None if row["merged_by"] is None else joined(row, "merger", "merged_by"),
        merge_sha=row["merge_sha"],
    )


def review(row: Row) -> Review:
    """Read a review with its author."""
    return Review(
        id=row["id"],
        author=joined(row, "author", "author"),
        association=row["association"],
        state=ReviewState(row["state"]),
        body=row["body"],
        commit_id=row["commit_id"],
        submitted_at=Millis(row["submitted_at"]),
    )


def line_comment(row: Row) -> LineComment:
    """Read a comment on a line with its author."""
    return LineComment(
        id=row["id"],
        review_id=row["review"],
        author=joined(row, "author", "author"),
        association=row["association"],
        path=row["path"],
        line=row["line"],
        body=row["body"],
        commit_id=row["commit_id"],
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
    )


def hook(row: Row) -> Hook:
    """Read a webhook."""
    return Hook(
        id=row["id"],
        url=row["url"],
        secret=row["secret"],
        events=tuple(json.loads(row["events"])),
        active=bool(row["active"]),
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
    )


def delivery(row: Row) -> Delivery:
    """Read a delivery with its hook's address and secret."""
    return Delivery(
        id=row["id"],
        hook_id=row["hook"],
        url=row["url"],
        secret=row["secret"],
        guid=row["guid"],
        event=row["event"],
        action=row["action"],
        payload=row["payload"],
        redelivery=bool(row["redelivery"]),
        target=row["target"],
        of_app=bool(row["of_app"]),
        repository_id=row["repository"],
        installation_id=row["installation"],
        delivered_at=moment(row["delivered_at"]),
        duration=row["duration"],
        status_code=row["status_code"],
        status=row["status"],
        response=row["response"],
    )
