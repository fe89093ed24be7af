"""
The outbox: threads whose projection is due, comments that are ours, replies and reactions to make.

A thread's row is coalesced: ``wanted`` grows with every change, ``shown`` is the version last projected.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.ids import ScopeId
from bot.storage.sql import Row, Sql


@dataclass(frozen=True, kw_only=True)
class Thread:
    """A thread whose projection may be due; ``parked`` is the reason why it is not tried now."""

    item: str
    wanted: int
    shown: int
    tries: int
    next_at: Millis
    parked: str | None


@dataclass(frozen=True, kw_only=True)
class ThreadComment:
    """
    A comment of ours; ``digest`` is that of the body last written.

    ``instance`` wrote it, another one where the database is a copy; it is empty for what an older version wrote.
    """

    key: str
    comment: int
    digest: str
    instance: str = ""


def _thread(row: Row) -> Thread:
    return Thread(
        item=row["item"],
        wanted=row["wanted"],
        shown=row["shown"],
        tries=row["tries"],
        next_at=Millis(row["next_at"]),
        parked=row["parked"],
    )


@dataclass(frozen=True)
class Threads:
    """Threads to project."""

    sql: Sql

    def touch(self, item: str) -> None:
        """Make a thread due; a parked one is tried again."""
        self.sql.run("thread_touch", item=item)

    def touch_ready(self) -> None:
        """Make the threads of all Work that is ready due: what keeps it from starting has changed."""
        self.sql.run("threads_touch_ready")

    def get(self, item: str) -> Thread | None:
        """Return a thread's row."""
        row = self.sql.one("thread_by_item", item=item)
        return None if row is None else _thread(row)

    def due(self, now: Millis, limit: int = 100) -> Sequence[Thread]:
        """Return the threads to project now."""
        return [_thread(row) for row in self.sql.all("threads_due", now=now, limit=limit)]

    def parked(self) -> Sequence[Thread]:
        """Return the threads that cannot be projected until something changes."""
        return [_thread(row) for row in self.sql.all("threads_parked")]

    def shown(self, item: str, version: int) -> None:
        """Record that the thread shows this version."""
        self.sql.run("thread_shown", item=item, version=version)

    def postpone(self, thread: Thread, *, until: Millis, counted: bool = True) -> None:
        """Try a thread again at ``until``. A wait that was asked for is no try that failed, and not ``counted``."""
        self.sql.run("thread_postpone", item=thread.item, tries=thread.tries + counted, next_at=until)

    def park(self, item: str, reason: str) -> None:
        """Stop trying a thread until it changes, or all are tried again."""
        self.sql.run("thread_park", item=item, reason=reason)

    def unpark(self) -> int:
        """Try all parked threads again. Returns how many there were."""
        return self.sql.run("threads_unpark")

    def unpark_item(self, item: str) -> int:
        """Try a thread again if it is parked. Returns how many there were."""
        return self.sql.run("thread_unpark", item=item)

    def unpark_scope(self, scope: ScopeId) -> int:
        """Try the parked threads of a repository, or of all that an owner has, again. Returns how many there were."""
        return self.sql.run("threads_unpark_scope", scope=scope)

    def comments(self, item: str) -> Sequence[ThreadComment]:
        """Return the comments of ours in a thread."""
        return [
            ThreadComment(key=row["key"], comment=row["comment"], digest=row["digest"], instance=row["instance"])
            for row in self.sql.all("thread_comments", item=item)
        ]

    def put_comment(self, item: str, comment: ThreadComment) -> None:
        """Record a comment of ours."""
        self.sql.run(
            "thread_comment_put",
            item=item,
            key=comment.key,
            comment=comment.comment,
            digest=comment.digest,
            instance=comment.instance,
        )

    def is_ours(self, comment: int) -> bool:
        """Whether we wrote a comment (ag-C01)."""
        return self.sql.one("thread_comment_by_id", comment=comment) is not None

    def lost(self, comment: int) -> bool:
        """
        Make the thread of a comment of ours due, whose text is not known any more, since somebody deleted it.

        Returns whether it was ours.
        """
        row = self.sql.one("thread_comment_by_id", comment=comment)
        if row is None:
            return False
        self.sql.run("thread_comment_put", **{**row, "digest": ""})
        self.touch(row["item"])
        return True


class NoteKind(enum.Enum):
    """What a note does."""

    EYES = "eyes"
    THUMBS_UP = "thumbs up"
    CONFUSED = "confused"
    REPLY = "reply"


@dataclass(frozen=True, kw_only=True)
class Note:
    """
    A reaction or a reply to make, once.

    ``source`` names what it answers; with ``kind`` it is unique. ``target`` is the comment to react to, None
    for the item itself. ``body`` is a reply's text.
    """

    id: int = 0
    item: str
    kind: NoteKind
    source: str
    target: int | None = None
    body: str = ""
    tries: int = 0


@dataclass(frozen=True)
class Notes:
    """Reactions and replies to make."""

    sql: Sql

    def add(self, note: Note) -> bool:
        """Queue a note. Returns False when this answer was queued before."""
        return (
            self.sql.run(
                "note_insert",
                item=note.item,
                kind=note.kind.value,
                source=note.source,
                target=note.target,
                body=note.body,
            )
            == 1
        )

    def due(self, now: Millis, limit: int = 100) -> Sequence[Note]:
        """Return the notes to make now, oldest first."""
        return [_note(row) for row in self.sql.all("notes_due", now=now, limit=limit)]

    def pending(self) -> Sequence[Note]:
        """Return every note that is not made yet."""
        return [_note(row) for row in self.sql.all("notes_pending")]

    def done(self, note: Note) -> None:
        """Record that a note was made."""
        self.sql.run("note_settle", id=note.id, state="done", error="")

    def failed(self, note: Note, error: str) -> None:
        """Give a note up, with the reason."""
        self.sql.run("note_settle", id=note.id, state="failed", error=error)

    def postpone(self, note: Note, *, until: Millis, error: str, counted: bool = True) -> None:
        """Try a note again at ``until``; ``counted`` is as for a thread."""
        self.sql.run("note_postpone", id=note.id, tries=note.tries + counted, next_at=until, error=error)


def _note(row: Row) -> Note:
    return Note(
        id=row["id"],
        item=row["item"],
        kind=NoteKind(row["kind"]),
        source=row["source"],
        target=row["target"],
        body=row["body"],
        tries=row["tries"],
    )
