"""The test double that runs every change twice does find changes that cannot be run again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.storage.sql import Sql, UniqueViolation
from tests.storage.engine.harness import Store, add, tallies
from tests.storage.twice import Twice


async def test_a_change_that_can_be_run_again_is_written_once(store: Store) -> None:
    twice = Twice(store)
    assert await twice.write(add("a", 3)) == 1
    assert await twice.read(tallies) == {"a": 3}
    with pytest.raises(UniqueViolation):
        await twice.write(add("a"))


async def test_a_change_that_makes_up_its_own_values_is_found(store: Store) -> None:
    numbers: Iterator[int] = iter(range(10))

    def change(sql: Sql) -> int:
        number = next(numbers)
        sql.run("tally_new", name="a", count=number)
        return number

    with pytest.raises(AssertionError, match="gave 1 instead of"):
        await Twice(store).write(change)


async def test_values_may_differ_where_others_write_between_the_runs(store: Store) -> None:
    numbers: Iterator[int] = iter(range(10))
    assert await Twice(store, same=False).write(lambda _: next(numbers)) == 1
