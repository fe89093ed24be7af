# ruff: noqa: E501 - a row of a table is one line

from __future__ import annotations

import pytest

from bot.domain.result import Deferral, Outcome, Result
from bot.domain.turn import Turn
from bot.playbook.outcome import Decision, outcome
from tests.playbook.samples import small

JOB = ("kind: work-issue", "kind: job")
COMMENT = ("comment",)


@pytest.mark.parametrize(
    ("ok", "word", "expected"),
    [
        # A failed run stays failed whatever it declared; its word is kept, and nothing is published.
        (False, None, Decision(kind=Outcome.FAILED, status="", comment="said", declared=False)),
        (False, "finished", Decision(kind=Outcome.FAILED, status="finished", comment="said")),
        (False, "ready", Decision(kind=Outcome.FAILED, status="ready", comment="said")),
        (False, "novel", Decision(kind=Outcome.FAILED, status="novel", comment="said", declared=False)),
        # `complete` ends the work.
        (True, "finished", Decision(kind=Outcome.COMPLETED, status="finished", comment="said")),
        # `wait` ends the attempt; the work waits for what is declared, after publishing.
        (True, "ready", Decision(kind=Outcome.WAITING, status="ready", comment="said", wait=("review", "comment"), publish=True)),
        # No word: the default status speaks.
        (True, None, Decision(kind=Outcome.WAITING, status="stuck", comment="said", wait=COMMENT)),
        # Neither, the word of a running attempt, and an undeclared word: a person is waited for.
        (True, "parked", Decision(kind=Outcome.WAITING, status="parked", comment="said", wait=COMMENT)),
        (True, "tidying", Decision(kind=Outcome.WAITING, status="tidying", comment="said", wait=COMMENT)),
        (True, "approved", Decision(kind=Outcome.WAITING, status="approved", comment="said", wait=COMMENT, declared=False)),
    ],
)  # fmt: skip
def test_a_result_is_decided_by_the_playbooks_words(*, ok: bool, word: str | None, expected: Decision) -> None:
    # C-87, C-99
    turn = Turn(status=word, comment="said") if word else None
    assert outcome(small(), Result(ok=ok, turn=turn, summary="said")) == expected


@pytest.mark.parametrize(
    ("word", "kind", "wait", "declared"),
    [
        ("parked", Outcome.COMPLETED, (), True),
        ("approved", Outcome.COMPLETED, (), False),
        ("ready", Outcome.WAITING, ("review", "comment"), True),
    ],
)
def test_a_job_is_done_unless_its_word_waits(
    word: str, kind: Outcome, wait: tuple[str, ...], *, declared: bool
) -> None:
    # C-31, C-99
    decision = outcome(small(JOB), Result(ok=True, turn=Turn(status=word)))
    assert (decision.kind, decision.status, decision.wait, decision.declared) == (kind, word, wait, declared)


def test_the_default_status_publishes_like_any_other() -> None:
    decision = outcome(small(("default: stuck", "default: ready")), Result(ok=True))
    assert (decision.status, decision.publish, decision.declared) == ("ready", True, True)


def test_the_comment_of_a_turn_is_preferred_to_the_summary_of_the_run() -> None:
    turn = Turn(status="ready", comment="from the turn")
    assert outcome(small(), Result(ok=True, turn=turn, summary="from the run")).comment == "from the turn"
    assert outcome(small(), Result(ok=True, summary="from the run")).comment == "from the run"


def test_an_unknown_word_is_shown_and_publishes_nothing() -> None:
    decision = outcome(small(), Result(ok=True, turn=Turn(status="approved")))
    assert (decision.status, decision.publish) == ("approved", False)


@pytest.mark.parametrize("word", [None, "finished", "ready"])
@pytest.mark.parametrize("ok", [True, False])
def test_a_run_that_was_deferred_is_deferred_whatever_the_playbook_says(*, ok: bool, word: str | None) -> None:
    # ag-H09
    turn = None if word is None else Turn(status=word, comment="said")
    decision = outcome(small(), Result(ok=ok, turn=turn, deferral=Deferral(reason="the usage limit is reached")))
    assert decision == Decision(kind=Outcome.DEFERRED, status="", comment="")
