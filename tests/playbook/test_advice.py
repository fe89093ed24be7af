from __future__ import annotations

from bot.playbook.advice import advice
from tests.playbook.samples import PATH, small

NO_PARKED = ("  parked: {}\n", "")


def test_a_careful_playbook_gets_no_advice() -> None:
    assert advice(small(NO_PARKED)) == []


def test_a_budget_without_an_estimate_is_pointed_out() -> None:
    lines = advice(small(NO_PARKED, (", estimate: {usd: 2}", "")))
    assert [line.split(": ")[:2] for line in lines] == [[PATH, "binding.estimate"]]


def test_units_that_the_scheduler_counts_need_no_estimate() -> None:
    assert advice(small(NO_PARKED, ("budgets: [", "budgets: [{unit: turns, max: 9}, "))) == []


def test_a_status_without_consequence_is_pointed_out() -> None:
    assert advice(small()) == [f"{PATH}: statuses.parked: neither ends the work nor says what wakes it"]
