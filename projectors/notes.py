"""The pass over reactions and replies that are to be made."""

from __future__ import annotations

import json
from dataclasses import dataclass

import structlog

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.retry import backoff
from bot.errors import RateLimitedError, TrackerError, TrackerUnavailableError
from bot.storage.contract import Store
from bot.storage.threads import Note, NoteKind
from bot.trackers.contract import Reaction, Tracker
from bot.views.markers import marker
from bot.views.reply import Reply
from projectors.limiters import Limiters
from projectors.place import Place, place_of
from projectors.post import Post
from projectors.replies import reply_text
from projectors.settings import Settings

_REACTIONS = {
    NoteKind.EYES: Reaction.EYES,
    NoteKind.THUMBS_UP: Reaction.THUMBS_UP,
    NoteKind.CONFUSED: Reaction.CONFUSED,
}

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class NotesPass:
    """Makes what is due, oldest first. What the tracker refuses for good is given up, with the reason."""

    store: Store
    tracker: Tracker
    clock: Clock
    limiters: Limiters
    post: Post
    settings: Settings

    async def run(self) -> None:
        """Make every note that is due."""
        now = self.clock.now()
        for note in await self.store.read(lambda tx: tx.notes.due(now)):
            try:
                await self._make(note)
            except TrackerUnavailableError as error:
                await self._postpone(note, error)
            except TrackerError as error:
                reason = str(error)
                _log.warning("note_given_up", item=note.item, kind=note.kind.value, reason=reason)
                await self.store.write(lambda tx, n=note, r=reason: tx.notes.failed(n, r))  # type: ignore[misc]

    async def _make(self, note: Note) -> None:
        place = await self.store.read(lambda tx: place_of(tx, note.item))
        if note.kind is NoteKind.REPLY:
            await self._reply(place, note)
        else:
            await self._react(place, note)
        await self.store.write(lambda tx: tx.notes.done(note))

    async def _react(self, place: Place, note: Note) -> None:
        reaction, target = _REACTIONS[note.kind], note.target
        if target is None:
            await self.limiters.of(place.repository).write(
                lambda: self.tracker.react_to_issue(place.repository, place.number, reaction)
            )
        else:
            await self.limiters.of(place.repository).write(
                lambda: self.tracker.react_to_comment(place.repository, target, reaction)
            )

    async def _reply(self, place: Place, note: Note) -> None:
        key = f"note:{note.id}"
        if key in await self.post.known(place):
            return
        text = reply_text(Reply.from_document(json.loads(note.body)), self.settings)
        await self.post.create(place, key, f"{marker(key, self.settings.instance)}\n{text}")

    async def _postpone(self, note: Note, error: TrackerUnavailableError) -> None:
        limit = error.retry_after if isinstance(error, RateLimitedError) else None
        wait = backoff(note.tries + 1, base=SECOND, most=5 * MINUTE) if limit is None else limit
        until, counted = Millis(self.clock.now() + wait), limit is None
        await self.store.write(lambda tx: tx.notes.postpone(note, until=until, error=str(error), counted=counted))
