from __future__ import annotations

import pytest

from bot.playbook.support import unsupported
from tests.playbook.samples import small

PLAIN = ((", command: tidy", ""),)


def test_a_playbook_that_asks_for_nothing_more_is_supported() -> None:
    assert unsupported(small(*PLAIN)) == ()


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (("kind: work-issue", "kind: job"), "kind"),
        (("timeout: 20m", "timeout: 20m, sandbox: bubblewrap"), "binding.sandbox"),
        (("wait: [review, comment]", "wait: [review, merge]"), "statuses.ready.wait"),
    ],
)
def test_a_setting_that_nothing_enforces_is_refused(change: tuple[str, str], key: str) -> None:
    assert [problem.key for problem in unsupported(small(*PLAIN, change))] == [key]


def test_everything_that_is_not_there_yet_is_said_together() -> None:
    change = ("timeout: 20m", "timeout: 20m, sandbox: bubblewrap")
    assert [problem.key for problem in unsupported(small(change))] == ["on.command", "binding.sandbox"]
