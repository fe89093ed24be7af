"""
What labels were called before somebody renamed them.

A renamed label is still on its issues, under another name. To take it for taken off would end every run that it had
started (ag-F10).
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.ids import ScopeId
from bot.storage.contract import Tx


def remember_name(tx: Tx, repository: ScopeId, *, before: str, name: str) -> None:
    """Remember that a label has another name now. One that is renamed again keeps its first one."""
    first = tx.cursors.get(_mark(repository, before)) or before
    tx.cursors.put(_mark(repository, name), first)
    forget_name(tx, repository, before)


def forget_name(tx: Tx, repository: ScopeId, name: str) -> None:
    """Forget what a label of this name was called: there is none any more."""
    if tx.cursors.get(_mark(repository, name)):
        tx.cursors.put(_mark(repository, name), "")


def first_name(tx: Tx, repository: ScopeId, name: str) -> str:
    """Return what a label was called at first."""
    return tx.cursors.get(_mark(repository, name)) or name


def with_first_names(tx: Tx, repository: ScopeId, labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels, and beside them what they were called at first."""
    return tuple(dict.fromkeys(found for label in labels for found in (label, first_name(tx, repository, label))))


def _mark(repository: ScopeId, name: str) -> str:
    # The tracker does not tell upper and lower case apart.
    return f"label-before/{repository}/{name.casefold()}"
