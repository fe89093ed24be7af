"""
Posting a comment exactly once.

The intent is stored before the call, the id after it. Whoever finds an intent without an id, after a crash or a
lost answer, looks for the comment by its mark before posting again (gh-W-05). Anybody can write our mark, so that a
comment counts only when the bot's own account wrote it. What another instance wrote, with the same account, is left
alone (gh-L-14): that one keeps it up to date. A mark without an instance, of an older version, is taken for ours only
where the store knows that a comment of its key was to be written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import structlog

from bot.errors import TrackerMissingError
from bot.storage.contract import Store
from bot.storage.threads import ThreadComment
from bot.trackers.contract import Comment, Person, Tracker
from bot.views.foreign import Foreign, saw
from bot.views.markers import Mark, mark_of
from projectors.digest import digest
from projectors.limiters import Limiters
from projectors.place import Place

INTENT = 0
"""The id of a comment that was about to be posted: no tracker gives it to one."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Post:
    """Posts and edits comments of ours, and remembers them. ``me`` is the account that writes, ``instance`` the bot."""

    store: Store
    tracker: Tracker
    limiters: Limiters
    me: Person
    instance: str = ""

    async def known(self, place: Place, *, lasting: Collection[str] = ()) -> dict[str, ThreadComment]:
        """
        Return our comments in a thread by key, with intents cleared up: found by their mark, or forgotten.

        ``lasting`` are keys that mean the same comment for ever: those are looked for also when nothing is stored
        of them, as after the loss of the database (ag-J04).
        """
        stored = await self.store.read(lambda tx: tx.threads.comments(place.item))
        # In a copied database stand comments of the instance that it was copied from.
        known = {entry.key: entry for entry in stored if entry.instance in {"", self.instance}}
        unclear = {key for key, entry in known.items() if entry.comment == INTENT} | (set(lasting) - set(known))
        if not unclear:
            return known
        for comment in await self.tracker.comments(place.repository, place.number):
            mark = mark_of(comment.body) if comment.author.id == self.me.id else None
            if mark is None:
                continue
            if mark.instance not in {"", self.instance}:
                await self._foreign(place, comment, mark)
                continue
            # A mark of an older version may be another one's, unless we were about to write it.
            key = mark.key if mark.instance or mark.key in known else None
            if key in unclear:
                found = ThreadComment(key=key, comment=comment.id, digest=digest(comment.body))
                known[key] = found
                await self._remember(place, found)
        return {key: entry for key, entry in known.items() if entry.comment != INTENT}

    async def _foreign(self, place: Place, comment: Comment, mark: Mark) -> None:
        _log.warning("foreign_instance", item=place.item, instance=mark.instance, comment=comment.id)
        where = f"{place.repository}#{place.number}"
        foreign = Foreign(instance=mark.instance, place=where, at=comment.updated_at)
        await self.store.write(lambda tx: saw(tx, foreign))

    async def create(self, place: Place, key: str, body: str) -> None:
        """Post a comment. Its intent is durable before the call. Raises ``TrackerError``."""
        await self._remember(place, ThreadComment(key=key, comment=INTENT, digest=""))
        written = await self.limiters.of(place.repository).write(
            lambda: self.tracker.create_comment(place.repository, place.number, body), creates=True
        )
        await self._remember(place, ThreadComment(key=key, comment=written.id, digest=digest(body)))

    async def edit(self, place: Place, known: ThreadComment, body: str) -> None:
        """Rewrite a comment; one that people deleted is posted again. Raises ``TrackerError``."""
        try:
            await self.limiters.of(place.repository).write(
                lambda: self.tracker.update_comment(place.repository, known.comment, body)
            )
        except TrackerMissingError:
            await self.create(place, known.key, body)
            return
        await self._remember(place, ThreadComment(key=known.key, comment=known.comment, digest=digest(body)))

    async def _remember(self, place: Place, comment: ThreadComment) -> None:
        ours = replace(comment, instance=self.instance)
        await self.store.write(lambda tx: tx.threads.put_comment(place.item, ours))
