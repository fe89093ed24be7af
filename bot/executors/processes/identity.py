"""
Who a process is, beyond its number.

The kernel hands out pids again, so a record that names a process also names the tick at which it started
and the realm (boot and pid namespace) in which both numbers mean something. A process that differs in any
of them is a stranger: it is neither trusted nor signalled.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NamedTuple, Self

_PROC = Path("/proc")
_ENDED = frozenset("ZXx")


class Identity(NamedTuple):
    """
    One process, ever. ``started`` is in clock ticks since boot.

    A named tuple, as a dataclass would double what the supervisor imports.
    """

    pid: int
    started: int
    realm: str

    @classmethod
    def parse(cls, value: object) -> Self | None:
        """Return the identity that a record holds, or None when it is not one."""
        if not isinstance(value, dict):
            return None
        pid, started, realm = value.get("pid"), value.get("started"), value.get("realm")
        # pid 0 and negative pids mean whole groups to kill(2)
        if not isinstance(pid, int) or pid <= 0 or not isinstance(started, int) or not isinstance(realm, str):
            return None
        return cls(pid, started, realm)

    def record(self) -> dict[str, object]:
        """Return the form in which a record holds it."""
        return self._asdict()


class Stat(NamedTuple):
    """The fields of ``/proc/<pid>/stat`` that matter here."""

    state: str
    parent: int
    session: int
    started: int


def realm() -> str:
    """Return the name of this boot and pid namespace: numbers of another one say nothing here."""
    boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{(_PROC / 'self/ns/pid').stat().st_ino}"


def stat(pid: int) -> Stat | None:
    """Return what the kernel says of a process, or None when there is none (any more)."""
    try:
        line = (_PROC / str(pid) / "stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # the name stands in parentheses and may itself hold parentheses and spaces
    fields = line[line.rindex(b")") + 2 :].split()
    return Stat(fields[0].decode(), int(fields[1]), int(fields[3]), int(fields[19]))


def identify(pid: int) -> Identity | None:
    """Return the identity of a process that runs now, or None."""
    found = stat(pid)
    return None if found is None or found.state in _ENDED else Identity(pid, found.started, realm())


def alive(who: Identity) -> bool:
    """Return whether this very process runs. One that ended and was not yet reaped does not."""
    return identify(who.pid) == who


def send(who: Identity, number: signal.Signals) -> bool:
    """
    Signal this very process; return False, and signal nobody, when it is gone or not ours to signal.

    The process is pinned by a descriptor before its start is compared, so that no stranger can take the
    pid between the look and the signal. Where the kernel offers no such descriptor the look comes first.
    """
    try:
        pinned = os.pidfd_open(who.pid)
    except ProcessLookupError:
        return False
    except OSError:
        return _send_unpinned(who, number)
    try:
        if not alive(who):
            return False
        signal.pidfd_send_signal(pinned, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(pinned)
    return True


def _send_unpinned(who: Identity, number: signal.Signals) -> bool:
    if not alive(who):
        return False
    try:
        os.kill(who.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
