"""A part of a comment that is folded until somebody wants it."""

from __future__ import annotations


def fold(summary: str, content: str) -> str:
    """Return content that is safe already, folded behind words of ours."""
    return f"<details>\n<summary>{summary}</summary>\n\n{content}\n\n</details>"
