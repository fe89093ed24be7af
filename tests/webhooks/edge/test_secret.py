"""Secrets of the webhook change without a lost delivery, and end when they were said to (gh-K-10)."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clock import Millis
from webhooks.secret import EXPECTED, Secret, read_secret, secret_entries

END = Millis(int(datetime(2026, 12, 31, tzinfo=UTC).timestamp() * 1000))


@pytest.mark.parametrize(
    ("end", "until"),
    [
        ("", None),
        (";until=2026-12-31T00:00Z", END),
        (" ; until = 2026-12-31T00:00:00Z ", END),
        (";until=2026-12-31T02:00+02:00", END),
    ],
)
def test_a_secret_counts_until_the_end_that_is_said_behind_it(end: str, until: Millis | None) -> None:
    # gh-K-10
    value = secrets.token_hex()
    assert read_secret(f" {value}{end}") == Secret(value.encode(), until)


def test_a_secret_counts_before_its_end_and_not_from_it_on() -> None:
    secret = Secret(b"any", END)
    assert secret.counts(Millis(END - 1))
    assert not secret.counts(END)
    assert Secret(b"any").counts(END)
    assert (secret.end, Secret(b"any").end) == ("2026-12-31 00:00 UTC", "")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (";until=2026-12-31T00:00Z", "no secret"),
        ("{};until=", EXPECTED),
        ("{};until=soon", EXPECTED),
        ("{};until=2026-12-31T00:00", EXPECTED),
        ("{};until=2026-12-31", EXPECTED),
        ("{};until=2026-02-30T00:00Z", EXPECTED),
    ],
)
def test_an_entry_that_cannot_be_read_is_refused_without_being_shown(entry: str, reason: str) -> None:
    value = secrets.token_hex()
    with pytest.raises(ValueError, match=reason) as refused:
        read_secret(entry.format(value))
    assert value not in str(refused.value)
    assert value not in repr(refused.value.__cause__)


def test_a_secret_does_not_show_in_its_text() -> None:
    # gh-S-04
    value = secrets.token_hex()
    assert value not in repr(read_secret(value))


@given(st.text(st.characters(exclude_characters=",", exclude_categories=["Cs"])))
def test_any_entry_is_a_secret_as_a_whole_or_refused(text: str) -> None:
    for entry in secret_entries(text):
        try:
            secret = read_secret(entry)
        except ValueError:
            assert "until" in entry
        else:
            assert secret.value
            assert entry.startswith(secret.value.decode())
            assert secret.until is not None or secret.value.decode() == entry


def test_commas_stand_between_entries_and_empty_ones_are_none() -> None:
    assert secret_entries(" a , b;until=x ,,") == ["a", "b;until=x"]
