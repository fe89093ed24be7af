"""Where a thread is: the repository by its name of now, and the number in it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import StorageError
from bot.storage.contract import Tx


@dataclass(frozen=True, kw_only=True)
class Place:
    """The address of a thread on the tracker; ``item`` is its key in the store."""

    item: str
    repository: str
    number: int


def place_of(tx: Tx, item: str) -> Place:
    """Return the address of an item's thread. Raises ``StorageError`` for one that was never seen."""
    found = tx.items.get(item)
    scope = None if found is None else tx.scopes.get(found.scope)
    if found is None or scope is None:
        raise StorageError(f"the item {item} was never seen")
    return Place(item=item, repository=scope.name, number=found.number)
