"""A command that somebody wrote as code: to the grammar it is a word about the command (gh-P-09)."""

from __future__ import annotations

import re

from webhooks.commands import Command, parse
from webhooks.verbs import Verb

_SPAN = re.compile(r"(`+)[ ]?(/[A-Za-z][^`\r\n]{0,200}?)[ ]?\1")


def command_in_code(text: str) -> Verb | None:
    """Return the verb of a text that is nothing but one command in backticks, or None."""
    span = _SPAN.fullmatch(text.strip())
    if span is None:
        return None
    commands = parse(span[2])
    return commands[0].verb if len(commands) == 1 and isinstance(commands[0], Command) else None
