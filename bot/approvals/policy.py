"""Who may decide on a hold, and what is still missing. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.domain.permission import Permission
from bot.domain.work import Instructions, Starter


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """
    What one gate of a playbook asks for: ``need`` distinct people.

    A person counts with at least ``permission``. Where ``users`` or ``teams`` (``owner/team``) are named, only those
    people count, whatever their permission. ``user_ids`` are the accounts that had the names of ``users`` when the
    hold was placed: who takes over such a name later is somebody else (gh-K-07). ``not_starter`` excludes the person
    who started the Work, ``not_author`` the one who wrote the text it is about.
    """

    name: str
    need: int
    permission: Permission
    users: tuple[str, ...] = ()
    user_ids: tuple[int, ...] = ()
    teams: tuple[str, ...] = ()
    not_starter: bool = False
    not_author: bool = False

    @property
    def named(self) -> tuple[str, ...]:
        """The users and teams who alone may decide; empty where a permission is enough."""
        return (*self.users, *self.teams)

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "need": self.need,
            "permission": self.permission.word,
            "users": list(self.users),
            "user_ids": list(self.user_ids),
            "teams": list(self.teams),
            "not_starter": self.not_starter,
            "not_author": self.not_author,
        }

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Requirement:
        """Read the JSON form. In one that was written before ids were, no user is known by an account."""
        return Requirement(
            name=document["name"],
            need=document["need"],
            permission=Permission[document["permission"].upper()],
            users=tuple(document["users"]),
            user_ids=tuple(document.get("user_ids", ())),
            teams=tuple(document.get("teams", ())),
            not_starter=document["not_starter"],
            not_author=document["not_author"],
        )


@dataclass(frozen=True, kw_only=True)
class Voter:
    """
    A person who decides, with the permission that they have at this moment.

    ``asked`` are the teams whose members could be asked for, ``teams`` those of them that the person is in.
    """

    id: int
    login: str
    permission: Permission
    teams: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()


def objection(requirement: Requirement, voter: Voter, *, starter: Starter, text: Instructions) -> str | None:
    """Return why a voter does not count for a requirement, or None when they do."""
    if excluded := _excluded(requirement, voter, starter, text):
        return excluded
    if requirement.named:
        return None if _is_named(requirement, voter) else f"only {_names(requirement.named)} may decide"
    if voter.permission < requirement.permission:
        return f"{requirement.permission.word} access is needed, and you have {voter.permission.word}"
    return None


def unsure(requirement: Requirement, voter: Voter, *, starter: Starter, text: Instructions) -> bool:
    """Whether a voter might count for a requirement, but for a team whose members could not be asked for."""
    if _is_named(requirement, voter) or _excluded(requirement, voter, starter, text):
        return False
    return not voter.asked.issuperset(requirement.teams)


def unmet(
    requirements: Sequence[Requirement], voters: Iterable[Voter], *, starter: Starter, text: Instructions
) -> tuple[Requirement, ...]:
    """Return the requirements that these voters, each counted once, do not meet."""
    people = list({voter.id: voter for voter in voters}.values())
    return tuple(
        requirement
        for requirement in requirements
        if sum(objection(requirement, voter, starter=starter, text=text) is None for voter in people) < requirement.need
    )


def _excluded(requirement: Requirement, voter: Voter, starter: Starter, text: Instructions) -> str | None:
    if requirement.not_starter and voter.id == starter.id:
        return "the person who started this may not approve it; a second person is needed"
    if requirement.not_author and _wrote(voter, text):
        return "the author of the text may not approve it; a second person is needed"
    return None


def _wrote(voter: Voter, text: Instructions) -> bool:
    return voter.id == text.author_id if text.author_id else voter.login.lower() == text.author.lower()


def _is_named(requirement: Requirement, voter: Voter) -> bool:
    return voter.id in requirement.user_ids or not voter.teams.isdisjoint(requirement.teams)


def _names(named: Sequence[str]) -> str:
    return ", ".join(f"@{name}" for name in named)
