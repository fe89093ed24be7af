"""Notes that answer a comment: reactions and replies, each queued at most once."""

from __future__ import annotations

import hashlib
import json

from bot.storage.threads import Note, NoteKind
from bot.views.reply import Reply, ReplyCode


def reaction_note(item: str, kind: NoteKind, *, source: str, comment: int | None) -> Note:
    """Return a reaction to a comment, or to the item itself when ``comment`` is None."""
    return Note(item=item, kind=kind, source=source, target=comment)


def reply_note(item: str, reply: Reply, *, source: str) -> Note:
    """Return a reply; ``source`` decides what counts as the same one."""
    return Note(item=item, kind=NoteKind.REPLY, source=source, body=json.dumps(reply.to_document(), sort_keys=True))


_ANEW = frozenset({ReplyCode.SEVERAL, ReplyCode.NOT_RAISED, ReplyCode.NOT_RETRIED})
"""Replies that tell something else another time, such as other holds: what is new in them has to be said."""


def throttle(item: str, reply: Reply) -> str:
    """Return the source of a reply that a person gets once per item and reason, however often they ask."""
    verb = f"/{reply.details['verb']}" if "verb" in reply.details else ""
    said = f"/{_digest(reply.details['explanation'])}" if reply.code in _ANEW else ""
    return f"reply/{item}/{reply.login.lower()}/{reply.code.value}{verb}{said}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
