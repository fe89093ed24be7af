"""Who may decide, in words."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.permission import Permission
from bot.views.thread import RequirementView
from projectors.figures import count
from projectors.inline import name

_MOST_NAMES = 10


def deciders(requirement: RequirementView) -> str:
    """Return how many people decide, which, and who does not."""
    people = str(requirement.need) if requirement.users else count(requirement.need, "person", "people")
    excluded = [
        text
        for text, applies in (
            ("the one who started it", requirement.not_starter),
            ("the author of the text", requirement.not_author),
        )
        if applies
    ]
    without = f", but not {' or '.join(excluded)}" if excluded else ""
    return f"{people} {_which(requirement)}{without}"


def first_decider(requirements: Sequence[RequirementView]) -> str:
    """Return who can decide, as the beginning of a sentence."""
    if len(requirements) != 1:
        return "Several people together" if requirements else "People who may decide"
    only = requirements[0]
    people = "Someone" if only.need == 1 else f"{only.need} people"
    return f"{people} {_which(only)}"


def _which(requirement: RequirementView) -> str:
    if requirement.users:
        named = [name(user) for user in requirement.users[:_MOST_NAMES]]
        more = len(requirement.users) - len(named)
        return f"of {', '.join(named)}" + (f" and {more} more" if more else "")
    return f"with {Permission(requirement.permission).word} access"
