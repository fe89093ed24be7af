"""
``python -m bot.executors.supervisor --directory <state directory>``.

Ends once a supervisor answers in that directory: one that ran already, or one that it left running in the
background. Starting at the same time from several hosts is fine: they queue at a lock, and the first one's
supervisor is the others' too.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import sys
from pathlib import Path

from bot.executors.processes.identity import Identity, identify, send
from bot.executors.supervisor import files, wire
from bot.executors.supervisor.monitor import become_subreaper
from bot.executors.supervisor.server import Server

RECORD = "supervisor.json"
_USAGE = 2


def main(arguments: list[str]) -> int:
    """Make sure that a supervisor serves the directory. Returns an exit code."""
    if len(arguments) != 2 or arguments[0] != "--directory":  # noqa: PLR2004 - one option and its value
        sys.stderr.write("usage: python -m bot.executors.supervisor --directory DIRECTORY\n")
        return _USAGE
    # the socket's path is relative: a state directory may lie deeper than the 108 bytes of an address
    os.chdir(arguments[1])
    starting = _lock_file("starting.lock")
    fcntl.flock(starting, fcntl.LOCK_EX)
    if _answers():
        return 0
    return _start(starting)


def _start(starting: int) -> int:
    ready, reporter = os.pipe()
    if os.fork() == 0:
        os.close(ready)
        os.close(starting)
        _serve(reporter)
        return 0
    os.close(reporter)
    # a byte when it serves, nothing when it died
    return 0 if os.read(ready, 1) else 1


def _serve(reporter: int) -> None:
    os.setsid()
    become_subreaper()
    lock = _take_over()
    Path(wire.SOCKET).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(wire.SOCKET)
    Path(wire.SOCKET).chmod(0o600)
    listener.listen(128)
    me = identify(os.getpid())
    if me is not None:
        files.write_record(Path(RECORD).absolute(), me.record())
    os.write(reporter, b"\n")
    os.close(reporter)
    Server(listener, lock).serve()


def _take_over() -> int:
    lock = _lock_file("supervisor.lock")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # it lives, but its socket was removed: it knows nothing that its successor would miss, and KILL, unlike
        # TERM, also ends one that was halted
        earlier = Identity.parse(files.read_record(Path(RECORD)))
        if earlier is not None:
            send(earlier, signal.SIGKILL)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _lock_file(name: str) -> int:
    return os.open(name, os.O_RDWR | os.O_CREAT, 0o600)


def _answers() -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(wire.SOCKET)
        except OSError:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
