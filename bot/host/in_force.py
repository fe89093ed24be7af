"""What is in force now: put in place whole at the start, and replaced whole by a reload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.executors.contract import Executor
from bot.host.bindings import Bindings
from bot.host.config import Config
from bot.host.executors import describe, digest_of
from bot.playbook.playbook import Playbook


@dataclass(kw_only=True)
class InForce:
    """
    The bindings in force. Whoever decides something reads them once, and goes on with what was read.

    What is under way is not touched by another one put in its place: an attempt goes on by its own binding (C-23).
    """

    bindings: Bindings


@dataclass(frozen=True)
class PlaybooksInForce(Mapping[str, Playbook]):
    """The playbooks in force, by name, as of each look at them."""

    in_force: InForce

    def __getitem__(self, name: str) -> Playbook:
        return self.in_force.bindings.playbooks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.in_force.bindings.playbooks)

    def __len__(self) -> int:
        return len(self.in_force.bindings.playbooks)


def bound(config: Config, executors: Mapping[str, Executor], playbooks: Mapping[str, Playbook]) -> Bindings:
    """Return what Work runs on under a configuration, with a name that says what its attempts are pinned to (C-20)."""
    document = describe(playbooks, grace=config.settings.grace)
    return Bindings(
        # Copies: whoever changes what was given here changes nothing (C-07).
        playbooks=dict(playbooks),
        executors=dict(executors),
        timeout=config.settings.timeout,
        generation=digest_of(document),
        document=document,
        limits=config.limits,
        scopes=config.scope_limits,
        brakes=config.brake_limits,
        budgets=config.operator_budgets,
    )
