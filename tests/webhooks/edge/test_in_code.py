"""A command in backticks that stands alone is worth a hint; anything else is not."""

from __future__ import annotations

import pytest

from webhooks.in_code import command_in_code
from webhooks.verbs import Verb


# gh-P-09, ag-E04
@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("`/approve`", Verb.APPROVE),
        ("  ``/approve`` \n", Verb.APPROVE),
        ("` /refuse not now `", Verb.REFUSE),
        ("`/Approve hld-1`", Verb.APPROVE),
        ("`/aprove`", None),
        ("`/usr/bin`", None),
        ("`/etc`", None),
        ("Write `/approve` to go on.", None),
        ("`/approve`\n`/refuse`", None),
        ("`/approve` please", None),
        ("```\n/approve\n```", None),
        ("/approve", None),
        ("`approve`", None),
        ("``/approve`", None),
        ("", None),
    ],
)
def test_only_a_text_that_is_nothing_but_a_command_in_backticks_is_one(text: str, verb: Verb | None) -> None:
    assert command_in_code(text) is verb
