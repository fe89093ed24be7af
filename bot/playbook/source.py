"""
Cut a playbook file into front matter and body.

Faults of the file itself (its encoding, its line ends, a missing fence) are found here, before YAML or
Jinja could answer with something that names neither the line nor the cure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.playbook.problem import Problem

FILE_LIMIT = 256 * 1024
FRONT_LIMIT = 64 * 1024
FENCE = "---"

# Characters that end a line for some readers and not for others are refused with the control characters:
# with them, the line that a message names would not be the line that an editor shows.
_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True, kw_only=True)
class Source:
    """The two parts of a file. ``body_line`` is the line on which the body begins; front matter is at 2."""

    front: str
    body: str
    body_line: int


def cut(data: bytes, path: str) -> Source | Problem:
    """Return the parts of a file, or the first fault that keeps it from being read at all."""
    text = _decode(data, path)
    if isinstance(text, Problem):
        return text
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        message = f"a playbook begins with a line {FENCE!r}, followed by its settings"
        return Problem(path=path, line=1, message=message)
    end = next((index for index, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        return Problem(path=path, line=len(lines), message=f"the settings are not closed by a line {FENCE!r}")
    front = "\n".join(lines[1:end])
    if len(front) > FRONT_LIMIT:
        return Problem(path=path, line=1, message=f"the settings are longer than {FRONT_LIMIT // 1024} KB")
    body = "\n".join(lines[end + 1 :])
    if not body.strip():
        return Problem(path=path, line=end + 1, message="the prompt after the settings is empty")
    return Source(front=front, body=body, body_line=end + 2)


def _decode(data: bytes, path: str) -> str | Problem:
    if len(data) > FILE_LIMIT:
        return Problem(path=path, line=1, message=f"the file is larger than {FILE_LIMIT // 1024} KB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem(path=path, line=line, message="the file is not UTF-8 text")
    if text.startswith("\ufeff"):
        message = "the file begins with a byte order mark; save it as UTF-8 without one"
        return Problem(path=path, line=1, message=message)
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        return Problem(path=path, line=line, message="a line ends with CR; save the file with LF line ends")
    if unusable := _UNUSABLE.search(text):
        line = text.count("\n", 0, unusable.start()) + 1
        message = f"the character U+{ord(unusable[0]):04X} cannot stand in a playbook"
        return Problem(path=path, line=line, message=message)
    return text
