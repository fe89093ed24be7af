"""Close what a text leaves open, so that what is written behind it stands outside."""

from __future__ import annotations

from projectors.details import open_folds
from projectors.markdown import parse

_PROBE = "probe"
_OPENERS = ("```", "~~~", "<details")


def balance(text: str) -> str:
    """Return an inert text (see ``projectors.neutralise``) with an open fence and open folds closed."""
    if not any(opener in text for opener in _OPENERS):
        return text
    tokens = parse(f"{text}\n\n{_PROBE}")
    last = tokens[-1]
    # A quote or list ends by itself, and with it what is open inside.
    if last.type == "fence" and last.level == 0:
        text = f"{text}\n{last.markup}" if not text.endswith("\n") else f"{text}{last.markup}"
    folds = open_folds(tokens)
    return text + "\n\n</details>" * folds
