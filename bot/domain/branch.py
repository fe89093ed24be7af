"""The name of a Work's branch."""

from __future__ import annotations

import re
import unicodedata

PREFIX = "trackside"
MAX_LENGTH = 60


def branch_name(number: int, title: str) -> str:
    """
    Return a branch name for an issue: letters of a to z, digits and ``-`` only, whatever the title holds (ag-K03).

    Accents are dropped; a title without any such letter leaves the number alone.
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    return f"{PREFIX}/{number}-{slug}"[:MAX_LENGTH].rstrip("-")
