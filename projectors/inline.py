"""Names and words within a line of ours."""

from __future__ import annotations

import re

from projectors.neutralise import GAP, neutralise

_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?")
_SIGN = re.compile(r"[\\`*{}\[\]~|$!]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_BLOCK = re.compile(r"[-+=#:]|([0-9]{1,9})(?=[.)])")


def escape(line: str) -> str:
    """Return one line of text as Markdown that shows every character as it is and refers to nothing."""
    escaped = _SIGN.sub(r"\\\g<0>", line).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # What begins a list or a heading does so at the start of a line only.
    started = _BLOCK.match(escaped)
    if started is not None:
        digits = started[1] or ""
        escaped = f"{digits}\\{escaped[len(digits) :]}"
    return neutralise(escaped)


def name(login: str) -> str:
    """Return an account as people read it, without telling it."""
    return f"@{GAP}{login}" if _LOGIN.fullmatch(login) else escape(login)


def mention(login: str) -> str:
    """Return an account so that it is told; what is no account name is only shown."""
    return f"@{login}" if _LOGIN.fullmatch(login) else escape(login)
