"""The doctor tells when a secret of the webhook ends, before deliveries are refused for it (gh-K-10)."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from bot.clock import DAY, Millis
from bot.host.config import SECRETS, load_config
from bot.host.sections import TOKEN
from bot.setup import local
from bot.setup.finding import Severity

SAID = "2026-12-31T00:00Z"
END = Millis(1_798_675_200_000)


@pytest.mark.parametrize(
    ("entries", "before", "severity", "text"),
    [
        ("", DAY, Severity.FINE, "there is none"),
        ("{}", DAY, Severity.FINE, "1 set"),
        (f"{{}},{{}};until={SAID}", 8 * DAY, Severity.FINE, "2 set"),
        (f"{{}},{{}};until={SAID}", 7 * DAY, Severity.WARNING, "number 2 ends on 2026-12-31 00:00 UTC"),
        (f"{{}},{{}};until={SAID}", 0, Severity.WARNING, "number 2 ended on 2026-12-31 00:00 UTC"),
        (f"{{}};until={SAID}", 0, Severity.ERROR, "all have ended"),
    ],
)
def test_the_end_of_a_secret_is_told_in_time(
    tmp_path: Path, entries: str, before: int, severity: Severity, text: str
) -> None:
    # gh-K-10
    path = tmp_path / "trackside.toml"
    path.write_text('data = "data"\nrepositories = ["o/n"]\n', encoding="utf-8")
    values = [secrets.token_hex() for _ in range(2)]
    config = load_config(path, {TOKEN: secrets.token_hex(), SECRETS: entries.format(*values)})
    (found,) = local.webhook_secrets(config, Millis(END - before))
    assert found.severity is severity
    assert text in found.text
    assert bool(found.cure) == (severity is not Severity.FINE)
    assert not any(value in f"{found.text}{found.cure}" for value in values)
