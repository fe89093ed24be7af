from __future__ import annotations

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import PlaybookError
from bot.playbook.load import load
from bot.playbook.playbook import Playbook
from tests.playbook.samples import PATH, SMALL

LINES = SMALL.splitlines(keepends=True)
YAML_BITS = st.text(alphabet="ab:{}[],-&*!|>'\"#?%@ \n\t~019.<=_eExn\\", max_size=60)
JINJA_BITS = st.text(alphabet="{}%#-+*/~|.()[] \nabifelsndforitem_'\"0123,=", max_size=60)


def loads_or_explains(content: str | bytes) -> None:
    with contextlib.suppress(PlaybookError):
        playbook = load(content, PATH)
        assert Playbook.from_document(playbook.to_document()) == playbook


@settings(deadline=None, max_examples=50)
@given(st.binary(max_size=300) | st.text(max_size=300))
def test_any_content_loads_or_is_a_playbook_error(content: str | bytes) -> None:
    loads_or_explains(content)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=80) | YAML_BITS, st.text(max_size=80) | JINJA_BITS)
def test_any_settings_and_prompt_load_or_are_a_playbook_error(front: str, body: str) -> None:
    loads_or_explains(f"---\n{front}\n---\n{body}\n")


@settings(deadline=None, max_examples=50)
@given(st.integers(1, len(LINES) - 1), YAML_BITS | st.text(max_size=20))
def test_a_good_playbook_with_any_line_replaced_loads_or_is_a_playbook_error(index: int, line: str) -> None:
    loads_or_explains("".join([*LINES[:index], line, "\n", *LINES[index + 1 :]]))


@settings(deadline=None, max_examples=50)
@given(JINJA_BITS)
def test_any_prompt_of_a_good_playbook_loads_or_is_a_playbook_error(body: str) -> None:
    loads_or_explains("".join(LINES[:-1]) + body)
