"""What a Work runs on: its playbook's binding, completed by the operator's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.domain.admission import Limits, Terms
from bot.domain.brake import Brakes
from bot.domain.execution import Binding
from bot.domain.kind import Lifecycle
from bot.domain.retry import RetryPolicy
from bot.domain.work import Work
from bot.errors import ConfigError
from bot.executors.contract import Executor
from bot.host.account_of import account_of
from bot.host.budgets import OperatorBudgets, estimate_of, playbook_budgets
from bot.host.kinds import policy_of
from bot.playbook.playbook import Playbook


@dataclass(frozen=True, kw_only=True)
class Bindings:
    """
    The playbooks and executors in force. ``timeout`` is the default in milliseconds.

    ``generation`` names this configuration, ``document`` is what is stored of it with attempts (C-21). ``scopes``
    are the limits of owners and repositories, by name.
    """

    playbooks: Mapping[str, Playbook]
    executors: Mapping[str, Executor]
    timeout: int
    generation: str
    document: Mapping[str, object] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    scopes: Mapping[str, int] = field(default_factory=dict)
    brakes: Brakes = field(default_factory=Brakes)
    budgets: OperatorBudgets = field(default_factory=OperatorBudgets)

    def of(self, work: Work) -> Binding:
        """Return the binding for the next attempt of a Work. Raises ``ConfigError`` when its playbook is gone."""
        playbook = self.playbooks.get(work.playbook)
        if playbook is None:
            raise ConfigError(f"no playbook is named {work.playbook!r} any more; bring it back or cancel {work.id}")
        executor = self.executors[playbook.binding.executor]
        policy = policy_of(work.kind)
        account = account_of(executor)
        return Binding(
            executor=playbook.binding.executor,
            pool=executor.pool,
            config=playbook.binding.config,
            timeout=playbook.binding.timeout or self.timeout,
            retry=RetryPolicy(delays=playbook.retry.delays),
            generation=self.generation,
            playbook=playbook.to_document(),
            lifecycle=policy.lifecycle,
            terminal=policy.terminal,
            capabilities=executor.capabilities,
            estimate=estimate_of(playbook),
            account=None if account is None else account.name,
            credentials="" if account is None else account.credentials,
        )

    def terms(self, playbook: str) -> Terms:
        """Return the terms on which Work of a playbook may start; for one that is gone, those of an agent."""
        found = self.playbooks.get(playbook)
        executor = None if found is None else self.executors[found.binding.executor]
        account = None if executor is None else account_of(executor)
        return Terms(
            pool="agents" if executor is None else executor.pool,
            limits=self.limits,
            # All of them: what is settled may be of any Work, and each budget knows which it counts.
            budgets=(*playbook_budgets(self.playbooks.values()), *self.budgets.everywhere),
            estimate={} if found is None else estimate_of(found),
            ceiling=self.budgets.ceiling,
            account=None if account is None else account.name,
            brakes=self.brakes if found is None else _brakes(self.brakes, found),
        )


def _brakes(brakes: Brakes, playbook: Playbook) -> Brakes:
    """Return the brakes for Work of a playbook: by a schedule, every start is meant; a day bounds them."""
    standing = policy_of(playbook.kind.value).lifecycle is Lifecycle.STANDING
    return replace(brakes, starts=brakes.repository_starts) if standing else brakes
