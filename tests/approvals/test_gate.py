"""The gate before a start: what it asks of people, and who counts without being asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from bot.approvals.gate import ApprovalGate
from bot.approvals.policy import Requirement, Voter
from bot.domain.permission import Permission
from bot.domain.work import Instructions, Starter
from bot.errors import TrackerError
from bot.ids import EventId, ScopeId
from bot.scheduler.gates import Allow, Ask, StartHold
from bot.storage.works import Input
from tests.approvals.voting import TEXT, edited
from tests.clock import START
from tests.factories import make_binding, make_work
from tests.playbook.samples import small


@dataclass(kw_only=True)
class People:
    """Who has which login, and what the one who started may do; None when that cannot be found out."""

    accounts: dict[str, int] = field(default_factory=lambda: {"grace": 8})
    permission: Permission | None = Permission.WRITE
    members: frozenset[str] = frozenset()
    asked_for: set[str] = field(default_factory=set)

    async def voter(self, scope: ScopeId, starter: Starter, teams: Iterable[str]) -> Voter:
        assert scope
        if self.permission is None:
            raise TrackerError("the tracker refused", status=403)
        self.asked_for = set(teams)
        return Voter(
            id=starter.id,
            login=starter.login,
            permission=self.permission,
            teams=self.members,
            asked=frozenset(self.asked_for),
        )

    async def account_of(self, login: str) -> int | None:
        return self.accounts.get(login)


async def asked(gate: str, people: People, *, current: Instructions = TEXT) -> Allow | StartHold:
    playbook = small(("permission: write", gate))
    work = make_work(instructions=TEXT)
    ask = Ask(
        work=work,
        binding=replace(make_binding(), playbook=playbook.to_document()),
        first=Input(work=work.id, seq=1, event=EventId("evt-1"), kind="label"),
        current=current,
        now=START,
    )
    return await ApprovalGate(people).ask(ask)


def requirement_of(answer: Allow | StartHold) -> Requirement:
    assert isinstance(answer, StartHold)
    (document,) = cast("list[dict[str, Any]]", answer.details["requirements"])
    return Requirement.from_document(document)


async def test_who_started_it_counts_where_the_gate_lets_them() -> None:
    assert isinstance(await asked("permission: write", People()), Allow)
    assert isinstance(await asked("permission: write, not: [starter]", People()), StartHold)
    assert isinstance(await asked("permission: write", People(permission=Permission.TRIAGE)), StartHold)


# ag-D04
async def test_a_text_that_was_edited_after_the_label_is_answered_for_by_nobody_yet() -> None:
    answer = await asked("permission: write", People(), current=edited(TEXT, "revision-2"))
    assert isinstance(answer, StartHold)
    assert answer.reason.startswith("the text has changed since it was labelled")
    assert (answer.revision, answer.details["credited"]) == ("revision-2", [])


# gh-A-13, ag-D02
async def test_what_cannot_be_found_out_is_neither_a_yes_nor_a_hold() -> None:
    with pytest.raises(TrackerError):
        await asked("permission: write", People(permission=None))


# gh-K-07
async def test_named_users_are_pinned_as_the_accounts_that_have_the_names_now() -> None:
    found = requirement_of(await asked("users: [grace]", People()))
    assert (found.users, found.user_ids) == (("grace",), (8,))


# gh-K-07
async def test_a_name_that_nobody_has_is_told_in_the_question() -> None:
    answer = await asked("users: [grace, nobody]", People())
    assert isinstance(answer, StartHold)
    assert "nobody has some of these names" in answer.reason
    assert requirement_of(answer).user_ids == (8,)


async def test_a_member_of_the_team_who_starts_it_counts() -> None:
    people = People(members=frozenset({"acme/core"}))
    assert isinstance(await asked("teams: [acme/core]", people), Allow)
    assert people.asked_for == {"acme/core"}
    answer = await asked("teams: [acme/core]", People())
    assert isinstance(answer, StartHold)
    assert "of acme/core" in answer.reason
