"""The log of what was tried: complete where it fits, and never longer than it may be."""

from __future__ import annotations

import secrets
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clock import MINUTE, Millis
from bot.domain.result import Outcome
from bot.views.thread import AttemptView
from projectors.moments import Words
from projectors.pull_request import pull_request_body
from projectors.redact import MARK, Redactor
from projectors.safe import Safe
from projectors.settings import Settings
from projectors.size import COMMENT_LIMIT, size
from projectors.turns import MOST, turn_log
from tests.factories import make_work
from tests.projectors.reader import ends_outside, live
from tests.projectors.samples import NOW, SETTINGS

WORDS = Words(settings=SETTINGS, now=NOW)
FAILED = AttemptView(number=1, outcome=Outcome.FAILED, reason="no", started_at=NOW, ended_at=Millis(NOW + MINUTE))
NASTY = "@alice fixes #12 <!-- x --> </details> ``` [x]( & " * 50


def log(count: int, reason: str = "no") -> tuple[AttemptView, ...]:
    return tuple(replace(FAILED, number=number, reason=reason) for number in range(1, count + 1))


@pytest.mark.parametrize("outcome", list(Outcome))
def test_each_outcome_has_its_words_on_a_line_of_its_own(outcome: Outcome) -> None:
    (line,) = [
        each for each in turn_log([replace(FAILED, outcome=outcome)], WORDS, room=500).splitlines() if each[:1] == "-"
    ]
    assert line.startswith("- Attempt 1 · ")
    assert "21:06 UTC, 1 min" in line


def test_the_newest_attempts_come_first_and_those_left_out_are_counted() -> None:
    shown = turn_log(log(MOST + 2), WORDS, room=COMMENT_LIMIT)
    lines = [line for line in shown.splitlines() if line[:1] == "-"]
    assert lines[0].startswith(f"- Attempt {MOST + 2} ·")
    assert lines[-1] == "- 2 earlier attempts not shown"
    assert len(lines) == MOST + 1


@pytest.mark.parametrize("room", [-5, 0, 100])
def test_where_nothing_fits_nothing_is_shown(room: int) -> None:
    assert turn_log(log(3), WORDS, room=room) == ""


def test_without_attempts_there_is_no_log() -> None:
    assert turn_log((), WORDS, room=COMMENT_LIMIT) == ""


@given(st.integers(0, 3 * MOST), st.integers(0, 3_000), st.text(max_size=50))
def test_a_log_is_never_longer_than_its_room_nor_says_anything_that_works(count: int, room: int, text: str) -> None:
    # ag-J01, ag-J08
    shown = turn_log(log(count, text + NASTY), WORDS, room=room)
    assert size(shown) <= room
    assert live(shown) == []
    assert ends_outside(shown)


def test_a_secret_in_the_reason_of_a_failure_is_taken_out() -> None:
    # ag-J12
    secret = secrets.token_hex()
    words = Words(settings=Settings(safe=Safe(redactor=Redactor([secret]))), now=NOW)
    shown = turn_log(log(1, f"cannot push to https://x:{secret}@example.com"), words, room=COMMENT_LIMIT)
    assert secret not in shown
    assert MARK.strip("[]") in shown


def test_a_pull_request_has_the_log_of_what_was_tried_before_with_days() -> None:
    body = pull_request_body(make_work(), "Done.", Safe(), log(2))
    assert (
        "Done.\n\n<details>\n<summary>Attempts, newest first</summary>\n\n- Attempt 2 · failed · Mar 4, 21:06 UTC"
        in body
    )
    assert body.index("</details>") < body.index("Closes #1")


def test_a_pull_request_fits_whatever_is_said_and_was_tried() -> None:
    # ag-J01
    assert size(pull_request_body(make_work(), "x" * 2 * COMMENT_LIMIT, Safe(), log(100, NASTY))) <= COMMENT_LIMIT
