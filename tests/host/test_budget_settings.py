"""Budgets as they are written in the configuration and in playbooks, and as they come into force."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import cast

import pytest
from structlog.testing import capture_logs

from bot.domain.admission import Limits, Terms
from bot.domain.budget import Budget, Per, Period, whole
from bot.domain.scope import owner_scope, repository_scope
from bot.errors import ConfigError
from bot.executors.shell.executor import ShellExecutor
from bot.host.bindings import Bindings
from bot.host.budgets import OperatorBudgets
from bot.host.config import Config, load_config
from bot.host.executors import executors
from bot.host.playbooks import load_playbooks
from bot.host.scope_limits import ScopeLimits
from bot.host.sections import TOKEN
from bot.storage.contract import Store
from tests.factories import make_work, put_place
from tests.playbook.samples import changed, small
from tests.scheduler.bench import Bench

BASE = 'data = "state"\nrepositories = ["Acme/Greeter"]\n'
USD = Budget(unit="usd", max=whole(25), per=Per.SCOPE, period=Period.DAY, warn_at=0.8)


def read(directory: Path, text: str) -> Config:
    path = directory / "trackside.toml"
    path.write_text(BASE + text)
    return load_config(path, {TOKEN: secrets.token_hex()})


def complaint(directory: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(directory, text)
    return str(caught.value).removeprefix(f"{directory / 'trackside.toml'}: ")


# C-164
def test_a_budget_is_read_as_it_is_written(tmp_path: Path) -> None:
    text = '[[budgets]]\nunit = "usd"\nmax = 25\nper = "scope"\nperiod = "day"\nwarn_at = 0.8\n'
    config = read(tmp_path, f'{text}[[budgets]]\nunit = "turns"\nmax = 9\nscope = "acme"\n')
    turns = Budget(unit="turns", max=whole(9))
    assert config.operator_budgets == OperatorBudgets(everywhere=(USD,), scoped={"acme": (turns,)})


# C-179, C-196
def test_by_default_there_is_no_budget_and_no_ceiling(tmp_path: Path) -> None:
    assert read(tmp_path, "").operator_budgets == OperatorBudgets()


def test_the_ceiling_is_kept_by_unit(tmp_path: Path) -> None:
    config = read(tmp_path, "[settings]\nbudget_ceiling = {usd = 50, minutes = 90.5}\n")
    assert config.operator_budgets.ceiling == {"usd": whole(50), "minutes": whole(90.5)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # C-164
        (
            'unit = "usd"\nmax = 5\nper = "all"\nscope = "acme"',
            'budgets.0: scope: a budget per "all" is shared by every',
        ),
        (
            'unit = "usd"\nmax = 5\nscope = "acm"',
            "budgets.0.scope: 'acm' is neither one of the repositories nor an owner",
        ),
        ('unit = "usd"\nmax = 5\nscope = "acme/other"', "budgets.0.scope: 'acme/other' is neither one of"),
        ('unit = "USD"\nmax = 5', "budgets.0.unit: expected a unit such as 'usd' or 'minutes', not 'USD'"),
        ('unit = "usd"\nmax = 0', "budgets.0.max: "),
        ('unit = "usd"', "budgets.0.max: is missing"),
        ('unit = "usd"\nmax = 5\nwarn_at = 80', "budgets.0.warn_at: "),
        ('unit = "usd"\nmax = 5\nper = "repository"', "budgets.0.per: "),
        ('unit = "usd"\nmax = 5\nperiods = "day"', "budgets.0.periods: unknown key; did you mean 'period'?"),
    ],
)
def test_a_slip_is_named_by_file_and_key(tmp_path: Path, text: str, expected: str) -> None:
    assert complaint(tmp_path, f"[[budgets]]\n{text}\n").startswith(expected)


def test_a_playbook_whose_estimate_is_more_than_a_budget_of_the_operator_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tidy.md"
    path.write_text(changed((", command: tidy", ""), ("claude-code, timeout", 'shell, command: ["true"], timeout')))
    known = executors(Path("/nowhere"), grace=1)
    assert list(load_playbooks([path], known, [Budget(unit="usd", max=whole(2))])) == ["tidy"]
    assert list(load_playbooks([path], known, [Budget(unit="tokens", max=whole(1))])) == ["tidy"]
    with pytest.raises(ConfigError) as caught:
        load_playbooks([path], known, [Budget(unit="usd", max=whole(1.99))])
    expected = "is more than a budget in the configuration allows: it would never start"
    assert str(caught.value) == f"{path}:1: binding.estimate.usd: {expected}"


def test_a_budget_that_no_estimate_covers_is_logged_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "tidy.md"
    path.write_text(changed((", command: tidy", ""), ("claude-code, timeout", 'shell, command: ["true"], timeout')))
    known = executors(Path("/nowhere"), grace=1)
    with capture_logs() as logs:
        load_playbooks([path], known, [Budget(unit=unit, max=whole(9)) for unit in ("usd", "turns")])
    assert logs == []
    with capture_logs() as logs:
        load_playbooks([path], known, [Budget(unit="tokens", max=whole(9))])
    assert [(each["event"], each["playbook"], each["units"]) for each in logs] == [
        ("budget_without_estimate", "tidy", ["tokens"])
    ]


def bindings(budgets: OperatorBudgets) -> Bindings:
    agent = ShellExecutor(Path("/nowhere"), name="claude-code", pool="agents")
    other = small(
        ("name: tidy", "name: other"), ("run:tidy", "run:other"), ("budgets: [{unit: usd, max: 5, warn_at: 0.8}]\n", "")
    )
    return Bindings(
        playbooks={book.name: book for book in (small(), other)},
        executors={agent.name: agent},
        timeout=1,
        generation="generation-7",
        budgets=budgets,
    )


def test_the_terms_have_all_budgets_and_those_of_a_playbook_count_its_own_work() -> None:
    in_force = bindings(OperatorBudgets(everywhere=(USD,), ceiling={"usd": whole(50)}))
    own = Budget(unit="usd", max=whole(5), warn_at=0.8, playbook="tidy")
    for playbook in ("tidy", "other", "gone"):
        terms = in_force.terms(playbook)
        assert terms.budgets == (own, USD)
        assert terms.ceiling == {"usd": whole(50)}
    assert in_force.terms("tidy").estimate == {"usd": whole(2)}
    assert in_force.terms("gone").estimate == {}
    assert own.applies(make_work(playbook="tidy"), ())
    assert not own.applies(make_work(playbook="other"), ())


def test_an_estimate_is_pinned_with_the_attempt() -> None:
    assert bindings(OperatorBudgets()).of(make_work(playbook="tidy")).estimate == {"usd": whole(2)}


# C-164
async def test_the_budget_of_a_scope_follows_its_id(bench: Bench) -> None:
    plain = Terms(pool="agents", limits=Limits())
    named = {"owner-1": (USD,), "owner-1/repo-1": (USD,), "owner-9": (USD,)}
    scopes = ScopeLimits(store=cast("Store", bench.store), named=dict, budgets=lambda: named)
    await scopes.look()
    assert scopes.applied(plain).budgets == (), "nothing was ever seen of them, so there is nothing to cap"
    await bench.do(lambda tx, _: put_place(tx))
    await scopes.look()
    assert [budget.scope for budget in scopes.applied(plain).budgets] == [owner_scope(1), repository_scope(1)]
