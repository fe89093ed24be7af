"""
Taking up a changed configuration without a restart: whole, or not at all.

What is taken up decides about attempts that start from then on (C-23): playbooks, limits, budgets, timeouts, and how
executors are made. Attempts under way keep theirs (C-21). Everything else holds for the life of the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import structlog

from bot.errors import ConfigError
from bot.executors.contract import Executor
from bot.executors.registry import Generation
from bot.host.config import Config
from bot.host.executors import executors
from bot.host.in_force import bound
from bot.host.parts import Parts
from bot.host.playbooks import load_playbooks
from bot.playbook.playbook import Playbook

RELOADED = frozenset(
    {
        "playbooks",
        "scopes",
        "budgets",
        "brakes",
        "settings.concurrency",
        "settings.job_concurrency",
        "settings.timeout",
        "settings.grace",
        "settings.budget_ceiling",
    }
)
"""The keys, and sections, of which a change is taken up."""

_log = structlog.get_logger(__name__)


def usable(config: Config) -> tuple[Mapping[str, Executor], Mapping[str, Playbook]]:
    """Return the executors and playbooks of a configuration. Raises ``ConfigError`` with everything that is wrong."""
    runners = executors(config.data, grace=config.settings.grace)
    return runners, load_playbooks(config.playbooks, runners, config.operator_budgets.all)


def reload(parts: Parts, config: Config) -> None:
    """
    Put a configuration in force for attempts that start from now on.

    Raises ``ConfigError``, and changes nothing, when it cannot be used or changes what holds until a restart.
    """
    before, after = dict(_fixed(parts.config.model_dump())), dict(_fixed(config.model_dump()))
    if fixed := [key for key, value in after.items() if value != before[key]]:
        raise ConfigError(f"{', '.join(fixed)}: a change needs a restart")
    runners, playbooks = usable(config)
    bindings = bound(config, runners, playbooks)
    generation = Generation(bindings.generation, runners.values())
    # From here on nothing can fail, and nobody looks in between.
    parts.registry.use(generation)
    parts.in_force.bindings = bindings
    _log.info("reloaded", generation=bindings.generation, playbooks=sorted(playbooks))
    parts.wake()


def _fixed(section: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    """Yield what holds until a restart, by key."""
    for name, value in section.items():
        key = f"{above}{name}"
        if key in RELOADED:
            continue
        if above == "" and isinstance(value, dict) and name != "environment":
            yield from _fixed(value, f"{key}.")
        else:
            yield key, value
