"""
Posting a comment exactly once.

The intent is stored before the call, the id after it. Whoever finds an intent without an id, after a crash or a
lost answer, looks for the comment by its mark before posting again (gh-W-05). Anybody can write our mark, so that a
comment counts only when the bot's own account wrote it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bot.errors import TrackerMissingError
from bot.storage.contract import Store
from bot.storage.threads import ThreadComment
from bot.trackers.contract import Person, Tracker
from bot.views.markers import marked_as
from projectors.digest import digest
from projectors.limiter import Limiter
from projectors.place import Place

INTENT = 0
"""The id of a comment that was about to be posted: no tracker gives it to one."""


@dataclass(frozen=True)
class Post:
    """Posts and edits comments of ours, and remembers them. ``me`` is the account that writes them."""

    store: Store
    tracker: Tracker
    limiter: Limiter
    me: Person

    async def known(self, place: Place, *, lasting: Collection[str] = ()) -> dict[str, ThreadComment]:
        """
        Return our comments in a thread by key, with intents cleared up: found by their mark, or forgotten.

        ``lasting`` are keys that mean the same comment for ever: those are looked for also when nothing is stored
        of them, as after the loss of the database (ag-J04).
        """
        stored = await self.store.read(lambda tx: tx.threads.comments(place.item))
        known = {entry.key: entry for entry in stored}
        unclear = {key for key, entry in known.items() if entry.comment == INTENT} | (set(lasting) - set(known))
        if not unclear:
            return known
        for comment in await self.tracker.comments(place.repository, place.number):
            key = marked_as(comment.body) if comment.author.id == self.me.id else None
            if key in unclear:
                found = ThreadComment(key=key, comment=comment.id, digest=digest(comment.body))
                known[key] = found
                await self._remember(place, found)
        return {key: entry for key, entry in known.items() if entry.comment != INTENT}

    async def create(self, place: Place, key: str, body: str) -> None:
        """Post a comment. Its intent is durable before the call. Raises ``TrackerError``."""
        await self._remember(place, ThreadComment(key=key, comment=INTENT, digest=""))
        written = await self.limiter.write(
            lambda: self.tracker.create_comment(place.repository, place.number, body), creates=True
        )
        await self._remember(place, ThreadComment(key=key, comment=written.id, digest=digest(body)))

    async def edit(self, place: Place, known: ThreadComment, body: str) -> None:
        """Rewrite a comment; one that people deleted is posted again. Raises ``TrackerError``."""
        try:
            await self.limiter.write(lambda: self.tracker.update_comment(place.repository, known.comment, body))
        except TrackerMissingError:
            await self.create(place, known.key, body)
            return
        await self._remember(place, ThreadComment(key=known.key, comment=known.comment, digest=digest(body)))

    async def _remember(self, place: Place, comment: ThreadComment) -> None:
        await self.store.write(lambda tx: tx.threads.put_comment(place.item, comment))
