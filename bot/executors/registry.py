"""
The executors that there are, by the configuration under which an attempt was claimed.

An attempt goes on with the executors of its own generation, whatever is in force by now: a reload changes what new
attempts run on (C-23) and nothing of those that are under way (C-21). A generation that is not known is not replaced
by another one (C-22).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from bot.domain.kind import Capability
from bot.errors import ConfigError, ExecutorError
from bot.executors.contract import Executor

POOLS = frozenset({"agents", "jobs"})
METHODS = ("check", "run", "recover", "stop")
CAPABLE = {Capability.RESUME: "resume", Capability.INTERRUPT: "interrupt"}
"""The method that an executor with a capability has beside those of every executor."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")


class Generation:
    """One set of executors. Raises ``ConfigError`` with everything that is wrong with one of them (C-04)."""

    def __init__(self, digest: str, executors: Iterable[Executor]) -> None:
        # A copy: whoever changes what was given here changes nothing (C-07).
        registered = tuple(executors)
        if problems := [*_problems(registered)]:
            raise ConfigError("\n".join(problems))
        self.digest = digest
        self.executors: Mapping[str, Executor] = MappingProxyType({each.name: each for each in registered})


class Registry:
    """The generation in force, and those of attempts that are under way."""

    def __init__(self, current: Generation) -> None:
        self._current = current
        self._known = {current.digest: current}

    @property
    def current(self) -> Generation:
        """What new attempts are bound to."""
        return self._current

    def use(self, generation: Generation) -> None:
        """Put a generation in force. The one before it stays known."""
        self.add(generation)
        self._current = self._known[generation.digest]

    def add(self, generation: Generation) -> None:
        """Make a generation known, unless it is."""
        self._known.setdefault(generation.digest, generation)

    def knows(self, generation: str) -> bool:
        """Whether a generation is known."""
        return generation in self._known

    def of(self, generation: str, name: str) -> Executor:
        """Return an executor as a generation had it. Raises ``ExecutorError``, permanent, when there is none (C-22)."""
        known = self._known.get(generation)
        if known is None:
            message = f"the configuration {generation!r} that this attempt was started under is not known any more"
            raise ExecutorError(message, code="unsupported", permanent=True)
        executor = known.executors.get(name)
        if executor is None:
            raise ExecutorError(f"the executor {name!r} is not there any more", code="unsupported", permanent=True)
        return executor


def _problems(executors: tuple[Executor, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for executor in executors:
        name = executor.name
        if not _NAME.fullmatch(name):
            yield f"executor {name!r}: a name is a lower-case letter, then at most 62 of a-z, 0-9 and '-'"
        if name in seen:
            yield f"executor {name!r}: there are two of this name"
        seen.add(name)
        if executor.pool not in POOLS:
            yield f"executor {name!r}: there is no pool {executor.pool!r}; there are: {', '.join(sorted(POOLS))}"
        lacking = [method for method in METHODS if not callable(getattr(executor, method, None))]
        for capability in getattr(executor, "capabilities", ()):
            method = CAPABLE.get(capability)
            if method is not None and not callable(getattr(executor, method, None)):
                lacking.append(method)
        if lacking:
            yield f"executor {name!r}: has no {', '.join(lacking)}"
