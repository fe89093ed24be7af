"""Limits of owners and repositories: written by name, held by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from bot.domain.admission import Limits, Terms
from bot.domain.scope import Scope, ScopeKind, owner_scope, repository_scope
from bot.host.scope_limits import ScopeLimits, narrowing
from bot.ids import ScopeId
from bot.storage.contract import Store
from tests.factories import put_place
from tests.scheduler.bench import Bench

TERMS = Terms(pool="agents", limits=Limits())
HERE, OWNER = repository_scope(1), owner_scope(1)


# C-153
@pytest.mark.parametrize(
    ("limits", "passed"),
    [
        ({"acme": 2}, {"acme": 2}),
        # Not below what the settings allow: it says nothing.
        ({"acme": 4}, {}),
        ({"acme": 9}, {}),
        ({"acme/one": 3}, {"acme/one": 3}),
        ({"acme/one": 4}, {}),
        # A repository narrows its owner.
        ({"acme": 2, "acme/one": 1}, {"acme": 2, "acme/one": 1}),
        ({"acme": 2, "acme/one": 2}, {"acme": 2}),
        ({"acme": 2, "acme/one": 3}, {"acme": 2}),
        # An owner whose limit says nothing leaves its repositories to the settings.
        ({"acme": 9, "acme/one": 3}, {"acme/one": 3}),
        # Another owner's limit is none of its.
        ({"acme": 1, "other/one": 3}, {"acme": 1, "other/one": 3}),
    ],
)
def test_only_a_limit_below_its_parents_is_passed_on(limits: Mapping[str, int], passed: Mapping[str, int]) -> None:
    assert narrowing(limits, 4) == passed


def limits_of(bench: Bench, named: Mapping[str, int]) -> ScopeLimits:
    return ScopeLimits(store=cast("Store", bench.store), named=lambda: named)


async def found(limits: ScopeLimits) -> dict[str, int]:
    await limits.look()
    return dict(limits.applied(TERMS).limits.scopes)


async def rename(bench: Bench, scope: ScopeId, name: str) -> None:
    renamed = Scope(id=scope, parent=OWNER, kind=ScopeKind.REPOSITORY, name=name)
    await bench.do(lambda tx, _: tx.scopes.put(renamed))


async def test_names_lead_to_ids_once_the_scopes_were_seen(bench: Bench) -> None:
    limits = limits_of(bench, {"owner-1": 2, "owner-1/repo-1": 1, "nobody": 1})
    assert await found(limits) == {}
    await bench.do(lambda tx, _: put_place(tx))
    assert await found(limits) == {OWNER: 2, HERE: 1}


async def test_a_limit_stays_with_a_repository_that_is_renamed_and_survives_a_restart(bench: Bench) -> None:
    await bench.do(lambda tx, _: put_place(tx))
    named = {"owner-1/repo-1": 1}
    await found(limits_of(bench, named))
    await rename(bench, HERE, "owner-1/elsewhere")
    assert await found(limits_of(bench, named)) == {HERE: 1}


async def test_a_repository_that_takes_the_name_over_has_the_limit_too(bench: Bench) -> None:
    await bench.do(lambda tx, _: put_place(tx))
    named = {"owner-1/repo-1": 1}
    await found(limits_of(bench, named))
    await rename(bench, HERE, "owner-1/elsewhere")
    await rename(bench, repository_scope(2), "owner-1/repo-1")
    for _ in range(2):
        assert await found(limits_of(bench, named)) == {repository_scope(2): 1, HERE: 1}


async def test_the_name_that_a_repository_bears_now_counts_before_the_one_it_bore(bench: Bench) -> None:
    await bench.do(lambda tx, _: put_place(tx))
    await found(limits_of(bench, {"owner-1/repo-1": 1}))
    await rename(bench, HERE, "owner-1/elsewhere")
    for named in ({"owner-1/repo-1": 1, "owner-1/elsewhere": 3}, {"owner-1/elsewhere": 3, "owner-1/repo-1": 1}):
        assert await found(limits_of(bench, named)) == {HERE: 3}


async def test_limits_that_are_taken_out_of_the_file_are_gone(bench: Bench) -> None:
    await bench.do(lambda tx, _: put_place(tx))
    named = {"owner-1": 2}
    limits = limits_of(bench, named)
    assert await found(limits) == {OWNER: 2}
    named.clear()
    assert await found(limits) == {}
