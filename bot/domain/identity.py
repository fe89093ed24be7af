"""Identities: whatever is stored has one, and an empty text is none."""

from __future__ import annotations


def named(**identities: str) -> None:
    """
    Raise ``ValueError`` when one of these is empty.

    A thing without an identity would be another thing's: found under its name, and counted for it (gh-Z-12).
    """
    for name, identity in identities.items():
        if not identity:
            raise ValueError(f"{name} must not be empty")
