"""Budgets: ledgers count what was used, reservations are those of runs under way, and no start goes beyond them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from bot.domain.segment import Invoke, Segment
from bot.storage.sql import Row
from tests.simulation.audit import Check, Step
from tests.simulation.playbooks import BUDGETS
from tests.simulation.snapshot import Snapshot, document, segments, started

MICRO = 1_000_000


def ledgers_count_what_was_used(step: Step) -> Iterator[str]:
    """Ensure that a ledger has counted, or is about to, just what the attempts used that it counts."""
    if not _money_moved(step):
        return
    used: Counter[str] = Counter()
    unknown: set[str] = set()
    for row in step.after.executions.values():
        units = _used(row)
        for key in ledgers_of(step.after, row):
            if units.get(_unit(key), 0) is None:
                unknown.add(key)
            else:
                used[key] += round((units.get(_unit(key)) or 0) * MICRO)
    coming: Counter[str] = Counter()
    for staged in step.after.staged:
        units = document(staged["units"])
        for key in ledgers_of(step.after, step.after.executions[staged["execution"]]):
            coming[key] += round((units.get(_unit(key)) or 0) * MICRO)
    for key, ledger in step.after.ledgers.items():
        if key in used and key not in unknown and ledger["used"] + coming[key] != used[key]:
            yield f"{key} has counted {ledger['used']} and {coming[key]} comes, of {used[key]}"


def reservations_are_of_runs_under_way(step: Step) -> Iterator[str]:
    """Ensure that an attempt reserves what it is expected to use until it is charged, and nothing after."""
    staged = {row["execution"] for row in step.after.staged}
    reserved = {row["execution"] for row in step.after.reservations}
    for row in step.after.executions.values():
        under_way = row["phase"] not in {"finished", "parked"} or row["id"] in staged
        if document(row["estimate"] or "{}") and under_way != (row["id"] in reserved):
            yield f"{row['id']} is {row['phase']}, and reserves {'something' if row['id'] in reserved else 'nothing'}"


def no_start_goes_beyond_a_budget(step: Step) -> Iterator[str]:
    """After a start, what is used and reserved is within each budget, unless a person let it pass."""
    for row in started(step.before, step.after):
        if step.before.works[row["work"]]["budget_pass"]:
            continue
        for key in ledgers_of(step.after, row):
            if _unit(key) == "attempts" and row["id"] in step.before.executions:
                continue
            taken, most = _taken(step.after, key), _most(step.after, key, row, step.facts.together)
            if taken > most:
                yield f"{row['id']} starts, and {taken} of {most} are taken in {key}"


def a_budget_pass_is_used_once(step: Step) -> Iterator[str]:
    """Ensure that a start uses up the pass."""
    for row in started(step.before, step.after):
        if step.after.works[row["work"]]["budget_pass"]:
            yield f"{row['work']} started, and its pass of a budget is left"


def ledgers_of(state: Snapshot, row: Row) -> list[str]:
    """Return the keys of the ledgers that count an attempt."""
    work = state.works[row["work"]]
    own = [f"{unit}/work/{work['item']}/{work['playbook']}/life" for unit in BUDGETS.get(work["playbook"], {})]
    day = datetime.fromtimestamp(row["started_at"] / 1000, tz=UTC).strftime("%Y-%m-%d")
    return [*own, f"usd/all/day/{day}"]


def _used(row: Row) -> Mapping[str, float | None]:
    """
    Return what an attempt that has ended used: what was reported, else what was reserved, if it was ever run.

    None is what cannot be told from the row: an attempt that was parked keeps no report of each of its stretches.
    """
    deferred = row["outcome"] == "deferred"
    stretches = sum(not each.recovered for each in segments(row["segments"]).kept)
    starts: dict[str, float | None] = {
        "turns": stretches - deferred,
        "attempts": 1 - (deferred and stretches == 1),
    }
    estimate = document(row["estimate"] or "{}")
    if stretches > 1 or row["suspended"] is not None:
        return {**dict.fromkeys(("usd", "minutes")), **starts}
    if row["phase"] != "finished":
        return starts
    result = document(row["result"] or "{}")
    turn = result.get("turn") or document(row["declared"] or "null") or {}
    nothing = deferred or (row["result"] is None and _last(row).invoke is Invoke.PENDING)
    reserved = {} if nothing else {unit: amount / MICRO for unit, amount in estimate.items()}
    return {**reserved, **turn.get("used", {}), **result.get("units", {}), **starts}


def _last(row: Row) -> Segment:
    return segments(row["segments"]).kept[-1]


def _money_moved(step: Step) -> bool:
    before, after = step.before, step.after
    return before.ledgers != after.ledgers or before.staged != after.staged or before.executions != after.executions


def _taken(state: Snapshot, key: str) -> int:
    reserved = sum(row["amount"] for row in state.reservations if row["ledger"] == key)
    return int(state.ledgers[key]["used"]) + int(reserved)


def _most(state: Snapshot, key: str, row: Row, together: int) -> int:
    unit, work = _unit(key), state.works[row["work"]]
    if key.startswith(f"{unit}/all/"):
        return together * MICRO
    raised = sum(
        each["amount"]
        for each in state.raises
        if (each["item"], each["playbook"], each["unit"]) == (work["item"], work["playbook"], unit)
    )
    return BUDGETS[work["playbook"]][unit] * MICRO + int(raised)


def _unit(key: str) -> str:
    return key.partition("/")[0]


ALL: tuple[Check, ...] = (
    ledgers_count_what_was_used,
    reservations_are_of_runs_under_way,
    no_start_goes_beyond_a_budget,
    a_budget_pass_is_used_once,
)
