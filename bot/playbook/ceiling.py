"""
How far a repository's own playbook may go.

Whoever can merge to a repository's default branch can write a playbook there; the operator pays for what it
runs, on the operator's machine. So its settings must stay within this ceiling, and what it leaves open must
not stand for "as much as you like".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.playbook.duration import format_duration
from bot.playbook.playbook import Playbook
from bot.playbook.schema import Budget
from bot.playbook.words import Per, Period, Permission, Sandbox


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """
    The operator's limits.

    ``executors`` may be named, nothing else. ``timeout`` is milliseconds per attempt. For every unit in
    ``budgets`` a playbook must set a budget per work and life of at most that much. With ``permission`` each
    playbook needs a gate, and no gate may ask for less, or name people instead: those count without it.
    ``commands`` are the programs, with all their arguments, that an executor may be told to run. ``sandbox``
    is demanded unless it is ``NONE``.
    """

    executors: frozenset[str]
    timeout: int
    budgets: Mapping[str, float] = field(default_factory=dict)
    permission: Permission | None = Permission.WRITE
    commands: frozenset[tuple[str, ...]] = frozenset()
    sandbox: Sandbox = Sandbox.NONE


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A setting that goes past the ceiling."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}"


def within(playbook: Playbook, ceiling: Ceiling) -> list[Violation]:
    """Return every setting of a playbook that goes past the ceiling; none means that it may run."""
    return [
        *_binding(playbook, ceiling),
        *_commands(playbook, ceiling),
        *_budgets(playbook, ceiling),
        *_gates(playbook, ceiling),
    ]


def _binding(playbook: Playbook, ceiling: Ceiling) -> Iterator[Violation]:
    binding = playbook.binding
    if binding.executor not in ceiling.executors:
        allowed = ", ".join(sorted(ceiling.executors)) or "none"
        message = f"{binding.executor!r} is not allowed here (allowed: {allowed})"
        yield Violation(key="binding.executor", message=message)
    if binding.timeout is not None and binding.timeout > ceiling.timeout:
        most = format_duration(ceiling.timeout)
        yield Violation(key="binding.timeout", message=f"at most {most} is allowed here")
    if ceiling.sandbox is not Sandbox.NONE and binding.sandbox is not ceiling.sandbox:
        yield Violation(key="binding.sandbox", message=f"must be {ceiling.sandbox.value} here")


def _commands(playbook: Playbook, ceiling: Ceiling) -> Iterator[Violation]:
    # Whatever the executor: a key of this name is a program to run.
    if "command" not in playbook.binding.config:
        return
    command = playbook.binding.config["command"]
    words = command if isinstance(command, list) else [command]
    if words not in [list(allowed) for allowed in ceiling.commands]:
        yield Violation(key="binding.command", message="this command is not one that the operator allows")


def _budgets(playbook: Playbook, ceiling: Ceiling) -> Iterator[Violation]:
    for index, budget in enumerate(playbook.budgets):
        most = ceiling.budgets.get(budget.unit)
        if most is not None and budget.max > most:
            message = f"at most {most:g} {budget.unit} is allowed here"
            yield Violation(key=f"budgets[{index}].max", message=message)
        if budget.per is Per.ALL:
            message = "a repository's playbook cannot set a budget for everything"
            yield Violation(key=f"budgets[{index}].per", message=message)
    for unit, most in ceiling.budgets.items():
        if not any(_caps_each_work(budget, unit) for budget in playbook.budgets):
            message = f"needs a budget of at most {most:g} {unit} per work and life"
            yield Violation(key="budgets", message=message)


def _caps_each_work(budget: Budget, unit: str) -> bool:
    return budget.unit == unit and budget.per is Per.WORK and budget.period is Period.LIFE


def _gates(playbook: Playbook, ceiling: Ceiling) -> Iterator[Violation]:
    if ceiling.permission is None:
        return
    if not playbook.gates:
        message = f"needs a gate with permission {ceiling.permission.value} or higher"
        yield Violation(key="gates", message=message)
    for index, gate in enumerate(playbook.gates):
        if gate.permission.rank < ceiling.permission.rank:
            message = f"must be {ceiling.permission.value} or higher here"
            yield Violation(key=f"gates[{index}].permission", message=message)
        if gate.users or gate.teams:
            key = "users" if gate.users else "teams"
            message = f"people cannot be named here; {ceiling.permission.value} access or higher decides"
            yield Violation(key=f"gates[{index}].{key}", message=message)
