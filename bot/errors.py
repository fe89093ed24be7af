"""
The errors of Trackside: one root, one class per condition.

A class's docstring is its default message. ``UserError`` and its children may be shown to people as they
are; everything else is logged and shown as an id.
"""

from __future__ import annotations

import inspect


class TracksideError(Exception):
    """Something went wrong in Trackside."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.getdoc(type(self)) or type(self).__name__)


class UserError(TracksideError):
    """That did not work."""


class ConfigError(UserError):
    """The configuration is not usable."""


class PlaybookError(ConfigError):
    """A playbook is not usable; the message names file, line and key."""


class StaleEpochError(TracksideError):
    """This attempt is held by someone else now, or has ended; the write was refused."""


class StorageError(TracksideError):
    """The database could not do what was asked; nothing was written."""


class MigrationError(StorageError):
    """The database has a schema that this version does not know."""


class ExecutorError(TracksideError):
    """
    An executor could not do what was asked.

    ``code`` is a word for history; ``permanent`` says that trying again cannot help (C-114).
    """

    def __init__(self, message: str | None = None, *, code: str = "failed", permanent: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.permanent = permanent


class NotAdoptableError(ExecutorError):
    """The process of this attempt cannot be found or trusted; nothing was started in its place (C-58)."""


class NotAcceptingError(ExecutorError):
    """The run takes no input now; nothing of it arrived (C-137)."""


class EnvironmentUnavailableError(ExecutorError):
    """The environment of a run cannot be had; its executor was not called (C-27). No value of it is in the message."""

    def __init__(self, message: str | None = None) -> None:
        said = "run environment unavailable"
        super().__init__(said if message is None else f"{said}: {message}", code="environment")


class StartGateError(TracksideError):
    """A start gate could not decide; nothing is held and the next pass asks again (C-186)."""


class TrackerError(TracksideError):
    """The issue tracker refused or could not be reached."""

    def __init__(self, message: str | None = None, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class TrackerUnavailableError(TrackerError):
    """The issue tracker cannot be reached now; trying again later may help."""


class RateLimitedError(TrackerUnavailableError):
    """The issue tracker asks to wait; ``retry_after`` is in milliseconds."""

    def __init__(self, message: str | None = None, *, status: int | None = None, retry_after: int) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class CallsSpentError(TrackerError):
    """As often as it may for now, a reading has asked the tracker."""


class TrackerMissingError(TrackerError):
    """The issue tracker does not know this, or hides it from us."""


class PayloadError(TracksideError):
    """What was delivered is not a JSON object that can be used; the message may be told to the sender."""


class WorkspaceError(ExecutorError):
    """The workspace of a Work cannot be prepared."""


class PublishError(TracksideError):
    """What an attempt made could not be published; ``permanent`` says that trying again cannot help."""

    def __init__(self, message: str | None = None, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class PublishRefusedError(PublishError):
    """People ended what was to be published; it is not made again behind their back."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message, permanent=True)


class AddressError(TracksideError):
    """The address to listen on cannot be had; something else may listen there."""
