"""The executors that there are: the one list of them, now and as earlier configurations had them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from bot.domain.execution import Binding
from bot.errors import ConfigError
from bot.executors.contract import Executor
from bot.executors.registry import Generation, Registry
from bot.executors.shell.executor import ShellExecutor
from bot.playbook.playbook import Playbook
from bot.storage.contract import Store
from bot.storage.rows import dump

VERSION = 1

Rebuild = Callable[[Mapping[str, object]], Mapping[str, Executor]]
"""Make executors from the document of a generation. Raises ``ConfigError`` for one that cannot be read."""

_log = structlog.get_logger(__name__)


def executors(data: Path, *, grace: int) -> Mapping[str, Executor]:
    """
    Return the executors by name. Nothing is made or started yet.

    Each keeps its runs below ``data``, in a directory of its name. ``grace`` is the time between the request to stop
    a run and its end, in milliseconds.
    """
    name = "shell"
    return {name: ShellExecutor(data / name, name=name, pool="jobs", grace=grace)}


def describe(playbooks: Mapping[str, Playbook], *, grace: int) -> Mapping[str, object]:
    """
    Return the document of a generation: what its executors are made of, and what the playbooks bind to them.

    It holds no secret (C-24). Where the data lies is not part of it: the document lies there itself.
    """
    return {
        "version": VERSION,
        "grace": grace,
        "playbooks": {name: playbook.digest for name, playbook in sorted(playbooks.items())},
    }


def digest_of(document: Mapping[str, object]) -> str:
    """Return the name of a generation."""
    return hashlib.sha256(dump(dict(document)).encode()).hexdigest()[:16]


def rebuilt(data: Path, document: Mapping[str, object]) -> Mapping[str, Executor]:
    """Return the executors of an earlier generation. Raises ``ConfigError`` for a document that cannot be read."""
    grace = document.get("grace")
    if document.get("version") != VERSION or not isinstance(grace, int):
        raise ConfigError("a configuration of an unknown version was stored")
    return executors(data, grace=grace)


@dataclass(frozen=True, kw_only=True)
class ExecutorsOf:
    """
    The executors of attempts, as the configuration had them under which each was claimed.

    A generation that this process has not met is made anew from what is stored of it.
    """

    registry: Registry
    store: Store
    rebuild: Rebuild

    async def of(self, binding: Binding) -> Executor:
        """Return the executor of an attempt. Raises ``ExecutorError``, permanent, when it is not there (C-22)."""
        generation = binding.generation
        if not self.registry.knows(generation):
            stored = await self.store.read(lambda tx: tx.generations.get(generation))
            if stored is not None:
                self._add(generation, stored)
        return self.registry.of(generation, binding.executor)

    async def restore(self) -> None:
        """Make every generation that is stored, so that what cannot be made is said at the start."""
        for digest, document in (await self.store.read(lambda tx: tx.generations.all())).items():
            self._add(digest, document)

    def _add(self, digest: str, document: Mapping[str, object]) -> None:
        try:
            self.registry.add(Generation(digest, self.rebuild(document).values()))
        except ConfigError as error:
            _log.warning("generation_not_restored", generation=digest, reason=str(error))
