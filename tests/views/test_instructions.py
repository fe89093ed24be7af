"""The revision that decisions are bound to, and which changes are the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import Millis
from bot.domain.work import Instructions
from bot.trackers.contract import Issue, Person, PullRequest
from bot.views.instructions import instructions_of

DANA = Person(id=7, login="dana")
ISSUE = Issue(
    number=3,
    title="Add it",
    body="It was missing.",
    open=True,
    locked=False,
    labels=(),
    author=DANA,
    is_pull_request=True,
    updated_at=Millis(0),
    url="https://tracker.test/3",
)
PULL = PullRequest(
    number=3,
    title="Add it",
    body="It was missing.",
    open=True,
    merged=False,
    draft=False,
    head_ref="feature",
    head_sha="a" * 40,
    base_ref="main",
    author=DANA,
    url="https://tracker.test/3",
)
DIFF = b"""\
diff --git a/a.py b/a.py
index 1111111..2222222 100644
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 first
-a
+b
diff --git a/b.sh b/b.sh
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/b.sh
@@ -0,0 +1 @@
+index 1111111..2222222 100644
"""
MOVED = replace(PULL, head_sha="b" * 40)


def text(
    pull: PullRequest = PULL,
    diff: bytes | None = DIFF,
    *,
    title: str = ISSUE.title,
    body: str = ISSUE.body,
) -> Instructions:
    return instructions_of(replace(ISSUE, title=title, body=body), pull, diff)


# gh-A-01, ag-E07
@pytest.mark.parametrize(
    "changed",
    [
        text(MOVED),
        text(title="Add more"),
        text(body="It was there."),
        text(replace(PULL, base_ref="release")),
    ],
    ids=["head", "title", "body", "base"],
)
def test_what_a_decision_is_about_has_another_revision(changed: Instructions) -> None:
    assert changed.revision != text().revision


def test_a_base_that_goes_on_by_itself_changes_nothing() -> None:
    # Its change may be told anew then: what counts is the head, the name of the base and the text.
    assert text(diff=None).revision == text().revision
    assert text(replace(PULL, draft=True)).revision == text().revision


def test_no_text_can_pass_for_another_one_with_the_border_moved() -> None:
    assert text(title="a", body="b\0c").revision != text(title="a\0b", body="c").revision


def test_the_text_of_an_issue_has_no_commit() -> None:
    found = instructions_of(ISSUE)
    assert (found.head, found.patch) == ("", "")
    assert found.revision != text().revision


def but(old: bytes, new: bytes) -> bytes:
    assert old in DIFF
    return DIFF.replace(old, new, 1)


# gh-A-08
def test_the_same_change_at_another_commit_is_the_same_change() -> None:
    # As after a rebase that changed another part of the file.
    assert text(MOVED, but(b"index 1111111..2222222", b"index 4444444..5555555")).same_change(text())
    assert text(MOVED).head == "b" * 40


# gh-A-04, gh-A-08, gh-D-07
@pytest.mark.parametrize(
    "changed",
    [
        text(MOVED, but(b"+b\n", b"+c\n")),
        text(MOVED, but(b"+b\n", b"+ b\n")),
        text(MOVED, but(b"+b\n", b"+b\r\n")),
        text(MOVED, but(b"@@ -1,2 +1,2 @@", b"@@ -9,2 +9,2 @@")),
        text(MOVED, but(b"+++ b/a.py", b"+++ b/c.py")),
        text(MOVED, but(b"2222222 100644", b"2222222 100755")),
        text(MOVED, but(b"new file mode 100644", b"new file mode 120000")),
        text(MOVED, but(b"+index 1111111", b"+index 4444444")),
        text(replace(MOVED, base_ref="release")),
        text(MOVED, title="Add more"),
        text(MOVED, body="It was there."),
    ],
    ids=["line", "space", "end", "place", "name", "mode", "link", "a line like a header", "base", "title", "body"],
)
def test_whatever_else_differs_makes_it_another_change(changed: Instructions) -> None:
    assert not changed.same_change(text())
    assert not text().same_change(changed)


PICTURE = DIFF + b"diff --git a/c.png b/c.png\nindex 1111111..2222222 100644\nBinary files a/c.png and b/c.png differ\n"


# gh-A-09
@pytest.mark.parametrize("diff", [None, b"", PICTURE], ids=["not told", "empty", "a picture"])
def test_a_change_that_is_not_known_whole_is_never_the_same_at_another_commit(diff: bytes | None) -> None:
    assert not text(MOVED, diff).same_change(text(PULL, diff))
    assert text(PULL, diff).same_change(text(PULL, diff))


def test_two_texts_without_a_commit_are_the_same_only_word_for_word() -> None:
    assert not instructions_of(replace(ISSUE, title="Another")).same_change(instructions_of(ISSUE))
    assert instructions_of(ISSUE).same_change(instructions_of(ISSUE))
