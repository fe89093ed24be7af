"""Who counts for a requirement."""

from __future__ import annotations

import pytest

from bot.approvals.policy import Requirement, Voter, objection, unmet, unsure
from bot.domain.permission import Permission
from bot.domain.work import Starter
from tests.approvals.voting import TEXT, requirement, voter

STARTER = Starter(id=7, login="ada")
NAMED = requirement(users=("grace",), user_ids=(8,))
TEAM = requirement(teams=("acme/core",))


def counts(asked: Requirement, person: Voter) -> bool:
    return objection(asked, person, starter=STARTER, text=TEXT) is None


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        (Voter(id=8, login="grace", permission=Permission.READ), True),
        # The same person under a new login, and somebody else who has taken the old one.
        (Voter(id=8, login="grace-hopper", permission=Permission.READ), True),
        (Voter(id=9, login="grace", permission=Permission.ADMIN), False),
    ],
)
def test_a_named_user_is_an_account_whatever_it_is_called(person: Voter, *, expected: bool) -> None:
    # gh-K-07
    assert counts(NAMED, person) is expected


def test_a_named_user_whom_nobody_was_found_for_is_nobody() -> None:
    # gh-K-07
    assert not counts(requirement(users=("grace",)), voter(0, Permission.ADMIN, login="grace"))


@pytest.mark.parametrize(("identity", "login", "expected"), [(7, "renamed", False), (8, "ada", True)])
def test_the_author_is_an_account_whatever_it_is_called(identity: int, login: str, *, expected: bool) -> None:
    # gh-K-07
    asked = requirement(not_author=True)
    assert counts(asked, voter(identity, login=login)) is expected


def test_a_member_of_a_named_team_counts_whatever_their_permission() -> None:
    core = frozenset({"acme/core"})
    assert counts(TEAM, voter(1, Permission.READ, teams=core, asked=core))
    assert not counts(TEAM, voter(2, Permission.ADMIN, asked=core))


def test_of_users_and_teams_either_is_enough() -> None:
    both = requirement(users=("grace",), user_ids=(8,), teams=("acme/core",))
    core = frozenset({"acme/core"})
    assert counts(both, voter(8, asked=core))
    assert counts(both, voter(3, teams=core, asked=core))
    assert not counts(both, voter(4, Permission.ADMIN, asked=core))


@pytest.mark.parametrize(
    ("asked", "person", "expected"),
    [
        (TEAM, voter(1), True),
        (TEAM, voter(1, asked=frozenset({"acme/core"})), False),
        # Who is named counts, and who is excluded does not, whatever the team would say.
        (requirement(users=("grace",), user_ids=(8,), teams=("acme/core",)), voter(8), False),
        (requirement(teams=("acme/core",), not_starter=True), voter(7), False),
        (requirement(), voter(1), False),
    ],
)
def test_it_matters_that_a_team_could_not_be_asked_for_only_where_it_decides(
    asked: Requirement, person: Voter, *, expected: bool
) -> None:
    # gh-K-05
    assert unsure(asked, person, starter=STARTER, text=TEXT) is expected


def test_one_person_is_one_person_however_often_they_say_it() -> None:
    # ag-D10
    asked = requirement(need=2)
    twice = [voter(1), voter(1, login="another-name")]
    assert unmet((asked,), twice, starter=STARTER, text=TEXT) == (asked,)
    assert unmet((asked,), [*twice, voter(2)], starter=STARTER, text=TEXT) == ()


def test_a_requirement_comes_back_as_it_was_written_down() -> None:
    full = requirement(need=3, users=("grace",), user_ids=(8,), teams=("acme/core",), not_starter=True, not_author=True)
    assert Requirement.from_document(full.to_document()) == full


def test_in_a_requirement_from_before_ids_nobody_is_a_named_user() -> None:
    document = {**NAMED.to_document()}
    del document["user_ids"], document["teams"]
    assert not counts(Requirement.from_document(document), voter(8, login="grace"))
