"""What a Work runs on: its playbook's binding, completed by the operator's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.admission import Limits, Terms
from bot.domain.execution import Binding
from bot.domain.retry import RetryPolicy
from bot.domain.work import Work
from bot.errors import ConfigError
from bot.executors.contract import Executor
from bot.playbook.playbook import Playbook


@dataclass(frozen=True, kw_only=True)
class Bindings:
    """The playbooks and executors in force. ``timeout`` is the default in milliseconds."""

    playbooks: Mapping[str, Playbook]
    executors: Mapping[str, Executor]
    timeout: int
    generation: str
    limits: Limits = field(default_factory=Limits)

    def of(self, work: Work) -> Binding:
        """Return the binding for the next attempt of a Work. Raises ``ConfigError`` when its playbook is gone."""
        playbook = self.playbooks.get(work.playbook)
        if playbook is None:
            raise ConfigError(f"no playbook is named {work.playbook!r} any more; bring it back or cancel {work.id}")
        return Binding(
            executor=playbook.binding.executor,
            pool=self.executors[playbook.binding.executor].pool,
            config=playbook.binding.config,
            timeout=playbook.binding.timeout or self.timeout,
            retry=RetryPolicy(delays=playbook.retry.delays),
            generation=self.generation,
            playbook=playbook.to_document(),
        )

    def terms(self, playbook: str) -> Terms:
        """Return the terms on which Work of a playbook may start; for one that is gone, those of an agent."""
        found = self.playbooks.get(playbook)
        pool = "agents" if found is None else self.executors[found.binding.executor].pool
        return Terms(pool=pool, limits=self.limits)
