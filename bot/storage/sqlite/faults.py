"""Translates what SQLite reports into the errors of Trackside, once, at the edge."""

from __future__ import annotations

import sqlite3

from bot.errors import StorageError
from bot.storage.sql import BusyError, UniqueViolation

FAULTS = (sqlite3.Error, OverflowError, UnicodeError)
"""
What the driver raises.

The last two are for a value that SQLite cannot hold: an integer beyond 64 bits, a text that is not UTF-8.
"""

_UNIQUE = frozenset(
    {
        sqlite3.SQLITE_CONSTRAINT_UNIQUE,
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
        sqlite3.SQLITE_CONSTRAINT_ROWID,
    }
)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY_CODE = 0xFF


def translated(fault: Exception, statement: str) -> StorageError:
    """Return the error that callers see, with ``fault`` as its cause; ``statement`` is what was run."""
    error = _translated(fault, statement)
    error.__cause__ = fault
    return error


def is_busy(fault: Exception) -> bool:
    """Tell whether another process held a lock for longer than the busy timeout."""
    code = getattr(fault, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY_CODE in _BUSY


def _translated(fault: Exception, statement: str) -> StorageError:
    if getattr(fault, "sqlite_errorcode", None) in _UNIQUE:
        return UniqueViolation(statement)
    if is_busy(fault):
        return BusyError()
    return StorageError(f"{statement}: {fault}")
