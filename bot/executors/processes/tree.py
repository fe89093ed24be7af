"""
What a process left behind.

Parentage is followed, not sessions or groups: a child may leave those, but below a subreaper it cannot
leave its ancestors. The mark in the environment is the weaker trace that is left when the subreaper is
gone: it finds what did not hide, and proves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from bot.executors.processes.identity import Identity, identify, realm, stat


def descendants(root: int, *, without: Collection[int] = ()) -> list[Identity]:
    """Return every process below ``root`` as of now, leaving out the pids in ``without`` and all below."""
    here = realm()
    stats = {pid: found for pid in _pids() if (found := stat(pid)) is not None}
    children = defaultdict[int, list[int]](list)
    for pid, found in stats.items():
        children[found.parent].append(pid)
    below: list[Identity] = []
    ahead = [root]
    while ahead:
        for pid in children[ahead.pop()]:
            if pid not in without:
                below.append(Identity(pid, stats[pid].started, here))
                ahead.append(pid)
    return below


def marked(mark: str) -> list[Identity]:
    """Return the running processes whose environment holds the entry ``mark`` (``NAME=value``)."""
    entry = mark.encode(errors="surrogateescape")
    found = (identify(pid) for pid in _pids() if entry in _environment(pid))
    return [who for who in found if who is not None]


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        # gone, or another user's: neither can be a process of ours that is to be found
        return []
