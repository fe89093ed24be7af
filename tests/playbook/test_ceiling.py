# ruff: noqa: E501 - a row of a table is one line

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import HOUR
from bot.playbook.ceiling import Ceiling, within
from bot.playbook.words import Permission, Sandbox
from tests.playbook.samples import small

CEILING = Ceiling(executors=frozenset({"claude-code"}), timeout=HOUR, budgets={"usd": 5})
SHELL = replace(CEILING, executors=frozenset({"shell"}))


def shell(command: str) -> tuple[str, str]:
    return ("executor: claude-code", f"executor: shell, command: {command}")


def test_a_playbook_at_the_ceiling_is_within_it() -> None:
    assert within(small(("20m", "1h")), CEILING) == []


@pytest.mark.parametrize(
    ("change", "ceiling", "expected"),
    [
        (("claude-code", "codex"), CEILING, "binding.executor: 'codex' is not allowed here (allowed: claude-code)"),
        (("20m", "61m"), CEILING, "binding.timeout: at most 1h is allowed here"),
        (("max: 5", "max: 6"), CEILING, "budgets[0].max: at most 5 usd is allowed here"),
        (("unit: usd", "unit: minutes"), CEILING, "budgets: needs a budget of at most 5 usd per work and life"),
        (("max: 5", "max: 5, period: day"), CEILING, "budgets: needs a budget of at most 5 usd per work and life"),
        (("budgets: [", "budgets: [{unit: usd, max: 5, per: all}, "), CEILING, "budgets[0].per: a repository's playbook cannot set a budget for everything"),
        (("permission: write", "permission: triage"), CEILING, "gates[0].permission: must be write or higher here"),
        (("need: 1", "users: [eve]"), CEILING, "gates[0].users: people cannot be named here; write access or higher decides"),
        (("need: 1", "teams: [o/r]"), CEILING, "gates[0].teams: people cannot be named here; write access or higher decides"),
        (("gates: [{name: start, need: 1, permission: write}]\n", ""), CEILING, "gates: needs a gate with permission write or higher"),
        (("20m", "20m, sandbox: none"), replace(CEILING, sandbox=Sandbox.BUBBLEWRAP), "binding.sandbox: must be bubblewrap here"),
        (("20m", "20m"), replace(CEILING, sandbox=Sandbox.BUBBLEWRAP), "binding.sandbox: must be bubblewrap here"),
        (("20m", "20m, command: [sh]"), CEILING, "binding.command: this command is not one that the operator allows"),
        (shell("[make, test]"), SHELL, "binding.command: this command is not one that the operator allows"),
    ],
)  # fmt: skip
def test_a_setting_past_the_ceiling_is_named(change: tuple[str, str], ceiling: Ceiling, expected: str) -> None:
    assert [str(violation) for violation in within(small(change), ceiling)] == [expected]


def test_every_setting_past_the_ceiling_is_named_at_once() -> None:
    playbook = small(("20m", "2h"), ("max: 5", "max: 50"), ("permission: write", "permission: read"))
    keys = [violation.key for violation in within(playbook, CEILING)]
    assert keys == ["binding.timeout", "budgets[0].max", "gates[0].permission"]


@pytest.mark.parametrize(
    ("command", "allowed"),
    [("[make, test]", True), ("[make]", False), ("[make, test, x]", False), ("make test", False), ("{a: b}", False), ("[[make, test]]", False)],
)  # fmt: skip
def test_only_a_command_that_was_listed_whole_may_run(command: str, *, allowed: bool) -> None:
    ceiling = replace(SHELL, commands=frozenset({("make", "test")}))
    assert (within(small(shell(command)), ceiling) == []) is allowed


def test_an_operator_may_ask_for_no_gate() -> None:
    ceiling = replace(CEILING, permission=None)
    assert within(small(("gates: [{name: start, need: 1, permission: write}]\n", "")), ceiling) == []


def test_permissions_are_ordered() -> None:
    assert [each.value for each in sorted(Permission, key=lambda each: each.rank)] == [
        "read", "triage", "write", "maintain", "admin",
    ]  # fmt: skip
