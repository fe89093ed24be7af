"""Who may decide on a hold, and what is still missing. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.domain.permission import Permission
from bot.domain.work import Starter


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """
    What one gate of a playbook asks for: ``need`` distinct people.

    A person counts with at least ``permission``, or when ``users`` names them. ``users``, when not empty, names
    the only people who count. ``not_starter`` excludes the person who started the Work, ``not_author`` the one
    who wrote the text it is about.
    """

    name: str
    need: int
    permission: Permission
    users: tuple[str, ...] = ()
    not_starter: bool = False
    not_author: bool = False

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "need": self.need,
            "permission": self.permission.word,
            "users": list(self.users),
            "not_starter": self.not_starter,
            "not_author": self.not_author,
        }

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Requirement:
        """Read the JSON form."""
        return Requirement(
            name=document["name"],
            need=document["need"],
            permission=Permission[document["permission"].upper()],
            users=tuple(document["users"]),
            not_starter=document["not_starter"],
            not_author=document["not_author"],
        )


@dataclass(frozen=True, kw_only=True)
class Voter:
    """A person who decides, with the permission that they have at this moment."""

    id: int
    login: str
    permission: Permission


def objection(requirement: Requirement, voter: Voter, *, starter: Starter, author: str) -> str | None:
    """Return why a voter does not count for a requirement, or None when they do."""
    if requirement.not_starter and voter.id == starter.id:
        return "the person who started this may not approve it; a second person is needed"
    if requirement.not_author and voter.login.lower() == author.lower():
        return "the author of the text may not approve it; a second person is needed"
    if requirement.users:
        named = voter.login.lower() in {user.lower() for user in requirement.users}
        return None if named else f"only {_names(requirement.users)} may decide"
    if voter.permission < requirement.permission:
        return f"{requirement.permission.word} access is needed, and you have {voter.permission.word}"
    return None


def unmet(
    requirements: Sequence[Requirement], voters: Iterable[Voter], *, starter: Starter, author: str
) -> tuple[Requirement, ...]:
    """Return the requirements that these voters, each counted once, do not meet."""
    people = list({voter.id: voter for voter in voters}.values())
    return tuple(
        requirement
        for requirement in requirements
        if sum(objection(requirement, voter, starter=starter, author=author) is None for voter in people)
        < requirement.need
    )


def _names(users: Sequence[str]) -> str:
    return ", ".join(f"@{user}" for user in users)
