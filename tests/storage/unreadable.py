"""Rows that this version cannot read, as a later one might have left them."""

from __future__ import annotations

from bot.storage.contract import Tx
from bot.storage.statements import Layer

BREAKING = Layer(package="tests.storage", directory="breaking")
"""The statements that break rows, for a store that is opened with them."""


def break_row(tx: Tx, kind: str, identity: str) -> None:
    """Make a row of a kind, such as ``work``, one that cannot be read."""
    assert tx.works.sql.run(f"break_{kind}", id=identity) == 1
