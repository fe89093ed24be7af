"""The approvals extension as the scheduler sees it: one start gate that speaks for all gates of a playbook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from bot.approvals.policy import Requirement, Voter, unmet
from bot.domain.permission import Permission
from bot.domain.work import Starter
from bot.ids import ScopeId
from bot.playbook.playbook import Playbook
from bot.playbook.words import Excluded
from bot.scheduler.gates import Allow, Ask, StartHold

NAME = "approvals"


class People(Protocol):
    """Who people are and what they may do in a repository, asked live. Each raises when it cannot be found out."""

    async def voter(self, scope: ScopeId, starter: Starter, teams: Iterable[str]) -> Voter:
        """Return a person as they may decide now; a team whose members cannot be asked for is left out."""
        ...

    async def account_of(self, login: str) -> int | None:
        """Return the id of the account that has a login now, or None when nobody has it."""
        ...


class ApprovalGate:
    """Holds a Work until the people that its playbook asks for have approved its start."""

    name = NAME

    def __init__(self, people: People) -> None:
        self._people = people

    async def ask(self, ask: Ask) -> Allow | StartHold:
        """
        Answer for all gates at once.

        The person who started the Work counts where a gate allows it and they have the permission now, unless
        the text has changed since: then somebody must answer for the new one. The same change at another commit is
        no change.
        """
        requirements = requirements_of(Playbook.from_document(ask.binding.playbook))
        if not requirements:
            return Allow()
        changed = not ask.work.instructions.same_change(ask.current)
        requirements = tuple([await self._identified(each) for each in requirements])
        teams = {team for each in requirements for team in each.teams}
        credited = () if changed else (await self._people.voter(ask.work.scope, ask.work.starter, teams),)
        missing = unmet(requirements, credited, starter=ask.work.starter, text=ask.current)
        if not missing:
            return Allow()
        return StartHold(
            reason=_reason(missing, changed=changed),
            revision=ask.current.revision,
            details=details(requirements, credited, head=ask.current.head),
            instructions=ask.current,
        )

    async def _identified(self, requirement: Requirement) -> Requirement:
        """Pin the accounts that have the names of a requirement's users now (gh-K-07)."""
        accounts = [await self._people.account_of(user) for user in requirement.users]
        return replace(requirement, user_ids=tuple(account for account in accounts if account is not None))


def requirements_of(playbook: Playbook) -> tuple[Requirement, ...]:
    """Return what the gates of a playbook ask for; the accounts of its users are not known yet."""
    return tuple(
        Requirement(
            name=gate.name,
            need=gate.need,
            permission=Permission[gate.permission.value.upper()],
            users=tuple(gate.users),
            teams=tuple(gate.teams),
            not_starter=Excluded.STARTER in gate.excluded,
            not_author=Excluded.AUTHOR in gate.excluded,
        )
        for gate in playbook.gates
    )


def details(requirements: tuple[Requirement, ...], credited: tuple[Voter, ...], *, head: str = "") -> dict[str, object]:
    """Return what the hold keeps: the requirements, the people who count without deciding again, and the commit."""
    return {
        "head": head,
        "requirements": [requirement.to_document() for requirement in requirements],
        "credited": [
            {
                "id": voter.id,
                "login": voter.login,
                "permission": voter.permission.word,
                "teams": sorted(voter.teams),
            }
            for voter in credited
        ],
    }


def _reason(missing: tuple[Requirement, ...], *, changed: bool) -> str:
    wanted = "; ".join(map(_wanted, missing))
    return f"the text has changed since it was labelled; {wanted}" if changed else wanted


def _wanted(requirement: Requirement) -> str:
    people = "person" if requirement.need == 1 else "people"
    who = f"of {', '.join(requirement.named)}" if requirement.named else f"with {requirement.permission.word} access"
    unknown = len(requirement.users) - len(requirement.user_ids)
    short = " (nobody has some of these names)" if unknown > 0 else ""
    return f"{requirement.name}: {requirement.need} {people} {who}{short}"
