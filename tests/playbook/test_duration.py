from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clock import DAY, HOUR, MINUTE, SECOND
from bot.playbook.duration import LONGEST, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("90s", 90 * SECOND),
        ("5m", 5 * MINUTE),
        ("1h", HOUR),
        ("1h30m", 90 * MINUTE),
        ("2d", 2 * DAY),
        ("1d1h1m1s", DAY + HOUR + MINUTE + SECOND),
        ("365d", 365 * DAY),
    ],
)
def test_a_duration_is_read_as_milliseconds(text: str, amount: int) -> None:
    assert parse_duration(text) == amount


@pytest.mark.parametrize(
    "text",
    ["", "1 hour", "5", "m", "1m1h", "1h1h", "-5m", "1.5h", "5M", " 5m", "5m\n", "0s", "366d", "999999999d", "\u0665m"],
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


@given(st.integers(min_value=1, max_value=LONGEST // SECOND))
def test_a_written_duration_reads_back_the_same(seconds: int) -> None:
    assert parse_duration(format_duration(seconds * SECOND)) == seconds * SECOND
