"""Which issues a pull request's text says that it closes."""

from __future__ import annotations

import re

_UNREAD = re.compile(r"<!--.*?(?:-->|\Z)|^(`{3,}|~{3,}).*?(?:^\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d{1,9})\b", re.IGNORECASE)


def closed_numbers(body: str) -> tuple[int, ...]:
    """Return the numbers after words such as ``Closes``, outside of code and hidden comments, each once."""
    found = (int(number) for number in _CLOSES.findall(_UNREAD.sub(" ", body)))
    return tuple(dict.fromkeys(found))
