"""
The environment of a run: what is asked for anew at each launch, handed to the executor, and kept nowhere.

It is asked for before a run is started or resumed, never for the adoption of one (C-25). It goes into the order only,
never into the store or the log (C-26).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from bot.domain.execution import Execution
from bot.domain.steps import LaunchStep
from bot.domain.work import Work
from bot.errors import EnvironmentUnavailableError
from bot.host.sections import EVERYWHERE
from bot.scheduler.phases import Trail

IDENTITY = {
    "GIT_AUTHOR_NAME": "Trackside",
    "GIT_AUTHOR_EMAIL": "trackside@localhost",
    "GIT_COMMITTER_NAME": "Trackside",
    "GIT_COMMITTER_EMAIL": "trackside@localhost",
}
"""In whose name a run commits, unless its own settings say otherwise."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class LaunchContext:
    """What is launched: ``repository`` is ``owner/name``; ``trail`` records the steps of the launch (C-46)."""

    work: Work
    execution: Execution
    repository: str
    trail: Trail


class RunEnvironment(Protocol):
    """Something that adds to the environment of runs."""

    async def of(self, launch: LaunchContext) -> Mapping[str, str]:
        """Return variables for a launch. Raises ``EnvironmentUnavailableError`` when they cannot be had."""
        ...


@dataclass(frozen=True)
class CommitIdentity:
    """In whose name a run commits."""

    async def of(self, _launch: LaunchContext) -> Mapping[str, str]:
        """Return the variables that git reads."""
        return IDENTITY


@dataclass(frozen=True, kw_only=True)
class PassedOn:
    """
    Variables of the bot's own environment that the operator passes on to runs.

    ``names`` has them by owner, by ``owner/name``, and for all repositories by ``*``; case does not matter, as the
    tracker's names go. ``host`` is the environment of this process.
    """

    names: Mapping[str, Sequence[str]]
    host: Mapping[str, str] = field(default_factory=lambda: os.environ)

    async def of(self, launch: LaunchContext) -> Mapping[str, str]:
        """Return the variables of the launch's repository. Raises ``EnvironmentUnavailableError`` for one not set."""
        owner, _, _ = launch.repository.partition("/")
        scopes = {EVERYWHERE, owner.casefold(), launch.repository.casefold()}
        wanted = [name for scope, names in self.names.items() if scope.casefold() in scopes for name in names]
        if not wanted:
            return {}
        async with launch.trail(LaunchStep.SECRETS):
            for name in wanted:
                if name not in self.host:
                    raise EnvironmentUnavailableError(f"{name} is not set")
            return {name: self.host[name] for name in wanted}

    def values(self) -> frozenset[str]:
        """Return what is passed on to any run, so that it can be kept out of texts."""
        return frozenset(self.host[name] for names in self.names.values() for name in names if name in self.host)


async def environment(members: Sequence[RunEnvironment], launch: LaunchContext) -> Mapping[str, str]:
    """
    Ask every member for its part; a later one stands above an earlier one.

    Raises ``EnvironmentUnavailableError`` when one of them fails, however it does (C-27). What an unknown error says
    may be a secret: it is neither passed on nor logged.
    """
    variables: dict[str, str] = {}
    async with launch.trail(LaunchStep.ENVIRONMENT):
        for member in members:
            try:
                variables |= await member.of(launch)
            except EnvironmentUnavailableError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the executor must not be called
                name, kind = type(member).__name__, type(error).__name__
                _log.warning("environment_unavailable", execution=launch.execution.id, member=name, error=kind)
                raise EnvironmentUnavailableError from None
    return variables
