"""
What the tracker refuses, in the words of GitHub: a status, a message and, for invalid input, what is wrong.

The same errors come out of the Python interface and, as JSON, out of REST.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.errors import TrackerError

Details = Sequence[Mapping[str, str] | str]

MOVED = 301
UNAUTHORIZED, FORBIDDEN, NOT_FOUND, NOT_ALLOWED, CONFLICT, UNPROCESSABLE = 401, 403, 404, 405, 409, 422


class RefusedError(TrackerError):
    """The tracker refused this; ``status`` is the HTTP status, ``details`` are GitHub's ``errors``."""

    def __init__(self, status: int, message: str, details: Details = ()) -> None:
        super().__init__(message, status=status)
        self.details = details


class MovedError(RefusedError):
    """The repository has another name by now: it is ``full_name``, with the id ``repository``."""

    def __init__(self, repository: int, full_name: str) -> None:
        super().__init__(MOVED, "Moved Permanently")
        self.repository = repository
        self.full_name = full_name


def not_found(message: str = "Not Found") -> RefusedError:
    """Return the refusal for what does not exist, or is hidden from who asks."""
    return RefusedError(NOT_FOUND, message)


def forbidden(message: str) -> RefusedError:
    """Return the refusal for what this person may not do."""
    return RefusedError(FORBIDDEN, message)


def invalid(resource: str, field: str, code: str = "invalid", message: str | None = None) -> RefusedError:
    """Return the refusal of one field: ``missing_field``, ``invalid``, ``already_exists`` or ``custom``."""
    detail = {"resource": resource, "code": code, "field": field}
    if message is not None:
        detail["message"] = message
    return RefusedError(UNPROCESSABLE, "Validation Failed", [detail])


def unprocessable(reason: str) -> RefusedError:
    """Return the refusal of a request that is well formed but makes no sense here."""
    return RefusedError(UNPROCESSABLE, "Unprocessable Entity", [reason])


def unprocessable_message(message: str) -> RefusedError:
    """Return the refusal of a request whose only reason is its message."""
    return RefusedError(UNPROCESSABLE, message)
