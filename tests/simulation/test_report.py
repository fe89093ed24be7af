from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.audit import Step
from tests.simulation.choices import from_text
from tests.simulation.invariants import ALL
from tests.simulation.report import coverage, failure, shrunk
from tests.simulation.run import run


def nothing_ever_fails(step: Step) -> Iterator[str]:
    """No invariant of the bot: something that is violated sooner or later."""
    yield from (f"{row['id']} failed" for row in step.after.executions.values() if row["outcome"] == "failed")


def test_a_failure_is_told_by_a_short_history_that_can_be_replayed() -> None:
    checks = (*ALL, nothing_ever_fails)
    ended = next(each for seed in range(9_200, 9_220) if (each := run(seed, checks=checks)).violation)
    assert ended.name == "nothing_ever_fails"
    short = shrunk(ended, checks=checks, tries=40)
    assert short.name == "nothing_ever_fails"
    assert len(short.history) < len(ended.history) / 2
    lines = list(failure(ended, short))
    assert lines[0].startswith(f"seed {ended.seed} violates")
    replay = next(line for line in lines if "REPLAY=" in line).partition("REPLAY='")[2].rstrip("'")
    again = run(ended.seed, script=from_text(replay), checks=checks)
    assert again.history == short.history


def test_what_was_never_reached_is_named() -> None:
    ended = run(9_300, steps=5)
    assert "never reached: " in "\n".join(coverage(ended.reached))
