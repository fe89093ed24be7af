"""
Waiting for the end of a process that is not our child.

A process descriptor becomes readable when its process ends. Where there is none to be had (an old kernel, a
strict seccomp filter, another pid namespace), the lifeline serves: a fifo whose write end the process holds
open for as long as it lives, and which reads as ended when the kernel closes it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from bot.executors.processes.identity import Identity, alive


async def ended(who: Identity, lifeline: Path, *, pidfd_open: Callable[[int], int] = os.pidfd_open) -> None:
    """Return once the process has ended; at once when it has ended before. May be cancelled."""
    try:
        descriptor = pidfd_open(who.pid)
    except ProcessLookupError:
        return
    except OSError:
        await _cut(lifeline)
        return
    try:
        # compared after the descriptor pinned the pid: it cannot become a stranger's any more
        if alive(who):
            await _readable(descriptor)
    finally:
        os.close(descriptor)


def held(lifeline: Path) -> bool:
    """Return whether a process holds the lifeline, whatever pid namespace it lives in."""
    try:
        descriptor = os.open(lifeline, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        return _has_writer(descriptor)
    finally:
        os.close(descriptor)


async def _cut(lifeline: Path) -> None:
    try:
        descriptor = os.open(lifeline, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        # a fifo that lost its writer before we opened it reads as ended but never becomes readable
        if _has_writer(descriptor):
            await _readable(descriptor)
    finally:
        os.close(descriptor)


def _has_writer(descriptor: int) -> bool:
    try:
        return os.read(descriptor, 1) != b""
    except BlockingIOError:
        return True


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
