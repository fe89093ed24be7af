"""How a run ended, as its monitor wrote it down."""

from __future__ import annotations

import enum
from typing import NamedTuple, Self


class End(enum.Enum):
    """The ways in which a run ends."""

    EXITED = "exited"
    """The command ended by itself: with an exit code, or killed by a signal that nobody here sent."""
    STOPPED = "stopped"
    """The run was told to stop."""
    REFUSED = "refused"
    """The attempt had been told to stop before this launch: no command was started."""
    UNSTARTABLE = "unstartable"
    """The command could not be started."""
    LOST = "lost"
    """The monitor was killed; its command's processes were ended, and what they achieved is unknown."""


class Exit(NamedTuple):
    """
    The end of a run. Once it is on disk, no process of the run is left.

    ``code`` is the command's exit code, or minus the number of the signal that ended it; None when there
    was no command, or its end was not seen. Times are milliseconds since 1970. ``permanent`` says that
    trying again cannot help.
    """

    end: End
    started_at: int
    ended_at: int
    code: int | None = None
    reason: str = ""
    permanent: bool = False

    def record(self) -> dict[str, object]:
        """Return the form in which it is stored."""
        return {"version": 1, **self._asdict(), "end": self.end.value}

    @classmethod
    def parse(cls, record: dict[str, object]) -> Self:
        """Return the stored end. Raises ``ValueError`` for a record that is none."""
        started_at, ended_at, code = record.get("started_at"), record.get("ended_at"), record.get("code")
        if not isinstance(started_at, int) or not isinstance(ended_at, int):
            raise ValueError("an exit record has two times")  # noqa: TRY004 - one error for all bad content
        if code is not None and not isinstance(code, int):
            raise ValueError("an exit code is a number")
        reason, permanent = str(record.get("reason", "")), record.get("permanent") is True
        return cls(End(record.get("end")), started_at, ended_at, code, reason, permanent)
