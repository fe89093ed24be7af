from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.branch import MAX_LENGTH, branch_name, is_branch_name


# ag-K03
@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Fix login", "trackside/42-fix-login"),
        ("", "trackside/42"),
        ("🔥🔥", "trackside/42"),
        ('"; $(touch /tmp/x)\n`id` && rm -rf ~', "trackside/42-touch-tmp-x-id-rm-rf"),
        ("../../etc/passwd", "trackside/42-etc-passwd"),
        ("Größe für Café", "trackside/42-groe-fur-cafe"),
        ("--upload-pack=evil", "trackside/42-upload-pack-evil"),
        ("release.lock", "trackside/42-release-lock"),
        ("x" * 200, "trackside/42-" + "x" * 47),
    ],
)
def test_a_branch_is_named_for_its_issue(title: str, name: str) -> None:
    assert branch_name(42, title) == name


# ag-K03
@given(number=st.integers(1, 10**9), title=st.text())
def test_any_title_makes_a_branch_of_plain_letters(number: int, title: str) -> None:
    name = branch_name(number, title)

    assert re.fullmatch(r"trackside/[1-9][0-9]*(-[a-z0-9]+)*", name)
    assert len(name) <= MAX_LENGTH
    assert is_branch_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "a b",
            "a..b",
            "a~1",
            "a^",
            "a:b",
            "a?b",
            "a*",
            "[a",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.",
            "@",
        ),
        *("a@{1}", "a.lock", "a.lock/b", "-a", "a\nb", "a\x7f", "\ta"),
    ],
)
def test_what_git_would_read_otherwise_is_no_branch(name: str) -> None:
    assert not is_branch_name(name)


@pytest.mark.parametrize("name", ["main", "a/b", "ä", "v1.2", "a-b", "a@b", "feature/#12", "a.locks", "a{b}"])
def test_what_people_call_their_branches_is_a_branch(name: str) -> None:
    assert is_branch_name(name)


def test_git_agrees_on_what_a_branch_is() -> None:
    # All names of up to two of the characters that rules are about.
    letters = "a/.-@{~ "
    names = [first + second for first in letters for second in ("", *letters)]
    for name in names:
        ended = subprocess.run(["git", "check-ref-format", f"refs/heads/{name}"], check=False)
        # As the name of a ref these two are in order; as an argument they mean something else.
        expected = ended.returncode == 0 and not name.startswith("-") and name != "@"
        assert is_branch_name(name) == expected, name
