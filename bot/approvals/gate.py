"""The approvals extension as the scheduler sees it: one start gate that speaks for all gates of a playbook."""

from __future__ import annotations

from typing import Protocol

from bot.approvals.policy import Requirement, Voter, unmet
from bot.domain.permission import Permission
from bot.domain.work import Work
from bot.ids import ScopeId
from bot.playbook.playbook import Playbook
from bot.playbook.words import Excluded
from bot.scheduler.gates import Allow, Ask, StartHold

NAME = "approvals"


class PermissionOf(Protocol):
    """Who may do what in a repository, asked live."""

    async def permission(self, scope: ScopeId, login: str) -> Permission:
        """Return the permission; raises when it cannot be checked."""
        ...


class ApprovalGate:
    """Holds a Work until the people that its playbook asks for have approved its start."""

    name = NAME

    def __init__(self, permission_of: PermissionOf) -> None:
        self._permission_of = permission_of

    async def ask(self, ask: Ask) -> Allow | StartHold:
        """
        Answer for all gates at once.

        The person who started the Work counts where a gate allows it and they have the permission now, unless
        the text has changed since: then somebody must answer for the new one.
        """
        requirements = requirements_of(Playbook.from_document(ask.binding.playbook))
        if not requirements:
            return Allow()
        changed = ask.current.revision != ask.work.instructions.revision
        credited = () if changed else (await self._starter(ask.work),)
        missing = unmet(requirements, credited, starter=ask.work.starter, author=ask.current.author)
        if not missing:
            return Allow()
        return StartHold(
            reason=_reason(missing, changed=changed),
            revision=ask.current.revision,
            details=details(requirements, credited),
            instructions=ask.current,
        )

    async def _starter(self, work: Work) -> Voter:
        starter = work.starter
        permission = await self._permission_of.permission(work.scope, starter.login)
        return Voter(id=starter.id, login=starter.login, permission=permission)


def requirements_of(playbook: Playbook) -> tuple[Requirement, ...]:
    """Return what the gates of a playbook ask for."""
    return tuple(
        Requirement(
            name=gate.name,
            need=gate.need,
            permission=Permission[gate.permission.value.upper()],
            users=tuple(gate.users),
            not_starter=Excluded.STARTER in gate.excluded,
            not_author=Excluded.AUTHOR in gate.excluded,
        )
        for gate in playbook.gates
    )


def details(requirements: tuple[Requirement, ...], credited: tuple[Voter, ...]) -> dict[str, object]:
    """Return what the hold keeps: the requirements, and the people who count without deciding again."""
    return {
        "requirements": [requirement.to_document() for requirement in requirements],
        "credited": [{"id": voter.id, "login": voter.login, "permission": voter.permission.word} for voter in credited],
    }


def _reason(missing: tuple[Requirement, ...], *, changed: bool) -> str:
    wanted = "; ".join(
        f"{requirement.name}: {requirement.need} {'person' if requirement.need == 1 else 'people'} "
        + (f"of {', '.join(requirement.users)}" if requirement.users else f"with {requirement.permission.word} access")
        for requirement in missing
    )
    return f"the text has changed since it was labelled; {wanted}" if changed else wanted
