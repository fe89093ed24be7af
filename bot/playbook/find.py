"""Find playbooks: those of a folder, and those that come with the package."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from bot.playbook.load import check
from bot.playbook.playbook import Playbook
from bot.playbook.problem import Problem, failure
from bot.playbook.source import FILE_LIMIT

PACKAGE = "playbooks"
_NOT_PLAYBOOKS = frozenset({"readme.md"})


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """The good playbooks of a place, in the order of their files, and everything that is wrong with the others."""

    playbooks: tuple[Playbook, ...]
    problems: tuple[Problem, ...] = ()

    def require(self) -> tuple[Playbook, ...]:
        """Return the playbooks; raises one ``PlaybookError`` with every problem if there is any."""
        if self.problems:
            raise failure(self.problems)
        return self.playbooks


def load_directory(path: Path) -> Loaded:
    """
    Load every ``*.md`` file of a folder (not below it), apart from its README.

    A broken file never hides the good ones. A folder that cannot be read is a problem, not an error.
    """
    try:
        entries = list(path.iterdir())
    except OSError as error:
        return Loaded(playbooks=(), problems=(_unreadable(str(path), error),))
    return _load_entries(_playbooks_among(entries, str(path)))


def load_all(paths: Iterable[Path]) -> Loaded:
    """
    Load files and folders together, in the order given; a file counts whatever its name.

    Conflicts are found across all of them. What cannot be read is a problem, not an error.
    """
    entries: list[tuple[str, Traversable]] = []
    problems = []
    for path in paths:
        try:
            inside = list(path.iterdir()) if path.is_dir() else None
        except OSError as error:
            problems.append(_unreadable(str(path), error))
            continue
        entries += [(str(path), path)] if inside is None else _playbooks_among(inside, str(path))
    loaded = _load_entries(entries)
    return Loaded(playbooks=loaded.playbooks, problems=(*problems, *loaded.problems))


def builtin() -> tuple[Playbook, ...]:
    """Return the playbooks that come with the package."""
    folder = resources.files(PACKAGE)
    return _load_entries(_playbooks_among(folder.iterdir(), PACKAGE)).require()


def load_files(files: Iterable[tuple[str, bytes]]) -> Loaded:
    """
    Load playbooks from (name for messages, content) pairs, such as those read from a repository.

    Of two playbooks in conflict the first is kept.
    """
    checked = [check(data, path) for path, data in files]
    playbooks = [each.playbook for each in checked if each.playbook]
    clashes = conflicts(playbooks)
    dropped = {problem.path for problem in clashes}
    return Loaded(
        playbooks=tuple(playbook for playbook in playbooks if playbook.path not in dropped),
        problems=(*(problem for each in checked for problem in each.problems), *clashes),
    )


def conflicts(playbooks: Iterable[Playbook]) -> tuple[Problem, ...]:
    """
    Return a problem for each name, trigger label and command that an earlier playbook has already.

    Labels count as equal whatever their case, as trackers compare them.
    """
    problems = []
    taken: dict[tuple[str, str], Playbook] = {}
    for playbook in playbooks:
        trigger = playbook.on
        claims = [
            ("name", playbook.name),
            ("on.label", (trigger and trigger.label) or ""),
            ("on.command", (trigger and trigger.command) or ""),
        ]
        for key, value in claims:
            first = taken.setdefault((key, value.lower()), playbook)
            if value and first is not playbook:
                message = f"{value!r} is taken by {first.path}"
                problems.append(Problem(path=playbook.path, line=1, key=key, message=message))
    return tuple(problems)


def _playbooks_among(entries: Iterable[Traversable], folder: str) -> list[tuple[str, Traversable]]:
    chosen = {
        entry.name: entry
        for entry in entries
        if entry.name.endswith(".md") and entry.name.lower() not in _NOT_PLAYBOOKS
    }
    return [(f"{folder}/{name}", chosen[name]) for name in sorted(chosen)]


def _load_entries(entries: Iterable[tuple[str, Traversable]]) -> Loaded:
    files = []
    unreadable = []
    for path, entry in entries:
        try:
            files.append((path, _content(entry)))
        except OSError as error:
            unreadable.append(_unreadable(path, error))
    loaded = load_files(files)
    return Loaded(playbooks=loaded.playbooks, problems=(*unreadable, *loaded.problems))


def _unreadable(path: str, error: OSError) -> Problem:
    return Problem(path=path, line=1, message=error.strerror or "it cannot be read")


def _content(entry: Traversable) -> bytes:
    # Anything but a regular file could block for ever, and more than the limit need not be read.
    if isinstance(entry, Path) and not entry.exists():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    if not entry.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file")
    with entry.open("rb") as file:
        return file.read(FILE_LIMIT + 1)
