"""The name of a Work's branch, and what git takes for the name of a branch."""

from __future__ import annotations

import re
import unicodedata

PREFIX = "trackside"
MAX_LENGTH = 60

_BAD = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[/-]|[/.]$|^@$|(^|/)\.|\.lock(/|$)")


def branch_name(number: int, title: str) -> str:
    """
    Return a branch name for an issue: letters of a to z, digits and ``-`` only, whatever the title holds (ag-K03).

    Accents are dropped; a title without any such letter leaves the number alone.
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    return f"{PREFIX}/{number}-{slug}"[:MAX_LENGTH].rstrip("-")


def review_branch(number: int) -> str:
    """Return the name of the branch on which a pull request is looked at; it exists in the workspace alone."""
    return f"{PREFIX}/review-{number}"


def is_branch_name(name: str) -> bool:
    """Return whether git takes a text for the name of a branch, and for nothing else."""
    return bool(name) and _BAD.search(name) is None
