"""
Starting the command of a run.

The command is forked, but stays behind a gate until its process is recorded: no command ever runs that the
run's directory does not name. A second pipe, which a successful exec closes, brings back why it did not
start.
"""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn

_PERMANENT = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.E2BIG, errno.ELOOP})
_DEFAULTED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE)


class Command(NamedTuple):
    """A program to run: ``argv`` is passed as it is, and no shell reads it."""

    argv: list[str]
    environment: Mapping[str, str]
    directory: str
    log: Path


class NotStarted(NamedTuple):
    """Why a command did not start; ``permanent`` says that trying again cannot help."""

    reason: str
    permanent: bool


def start(command: Command, record: Callable[[int], None]) -> tuple[int, NotStarted | None]:
    """
    Fork the command, ``record`` its pid, then let it go.

    Returns the pid, to be reaped in either case, and why it did not start (None when it did).
    """
    gate, opener = os.pipe()
    report, reporter = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(opener)
        _become(command, gate, reporter)
    os.close(gate)
    os.close(reporter)
    record(pid)
    os.write(opener, b"\n")
    os.close(opener)
    with os.fdopen(report, "rb") as reported:
        failure = reported.read()
    return pid, NotStarted(*json.loads(failure)) if failure else None


def _become(command: Command, gate: int, reporter: int) -> NoReturn:
    try:
        failure = _prepare(command, gate) or _execute(command)
        os.write(reporter, json.dumps(failure).encode())
    finally:
        # never back into the supervisor's code, whose copy this process is
        os._exit(127)


def _prepare(command: Command, gate: int) -> NotStarted | None:
    try:
        os.setsid()
        if not os.read(gate, 1):
            return NotStarted("its monitor ended", permanent=False)
        _redirect(command.log)
        os.chdir(command.directory)
    except OSError as error:
        return NotStarted(f"{error.strerror}: {error.filename}", permanent=False)
    _reset_signals()
    return None


def _execute(command: Command) -> NotStarted:
    try:
        os.execvpe(command.argv[0], command.argv, command.environment)  # noqa: S606 - no shell is the point
    except OSError as error:
        return NotStarted(f"{error.strerror}: {command.argv[0]}", error.errno in _PERMANENT)
    except ValueError as error:
        # a null byte, or a name with "=": nothing that the kernel could pass on
        return NotStarted(str(error), permanent=True)


def _redirect(log: Path) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)


def _reset_signals() -> None:
    # what Python or the host ignores or blocks would stay so across exec
    for number in _DEFAULTED:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
