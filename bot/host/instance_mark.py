"""The name by which an instance marks what it writes into threads, so that two of them keep to their own."""

from __future__ import annotations

from bot.storage.contract import Shared, Store, Tx

_NAME = "instance"


async def instance_mark(store: Store, owner: str) -> str:
    """
    Return the name. ``owner`` is that of this host.

    Hosts that share a database are one instance: they go by the name of the first of them, which the database keeps.
    A host with a file of its own goes by its own name, so that a copy of the file elsewhere is another instance.
    Raises ``StorageError``.
    """
    return await store.write(lambda tx: _kept(tx, owner)) if isinstance(store, Shared) else owner


def _kept(tx: Tx, owner: str) -> str:
    kept = tx.cursors.get(_NAME)
    if kept is None:
        tx.cursors.put(_NAME, owner)
    return kept or owner
