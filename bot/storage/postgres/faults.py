"""Translates what PostgreSQL reports into the errors of Trackside, once, at the edge."""

from __future__ import annotations

import psycopg
from psycopg import errors

from bot.errors import StorageError
from bot.storage.sql import BusyError, UniqueViolation

FAULTS = (psycopg.Error, OverflowError, UnicodeError)
"""What the driver raises; the last two are for a value that cannot be sent."""

_BUSY = (errors.LockNotAvailable, errors.DeadlockDetected)


def translated(fault: Exception, statement: str) -> StorageError:
    """Return the error that callers see, with ``fault`` as its cause; ``statement`` is what was run."""
    error = _translated(fault, statement)
    error.__cause__ = fault
    return error


def _translated(fault: Exception, statement: str) -> StorageError:
    if isinstance(fault, errors.UniqueViolation):
        return UniqueViolation(statement)
    if isinstance(fault, _BUSY):
        return BusyError()
    return StorageError(f"{statement}: {words(fault)}")


def words(fault: Exception) -> str:
    """Return what was reported, on one line; the server's own words leave out the statement, which may be long."""
    told = fault.diag.message_primary if isinstance(fault, psycopg.Error) else None
    return " ".join((told or str(fault)).split())
