"""What every backend promises, whichever runner it has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.errors import StorageError
from bot.storage.sql import Sql, UniqueViolation
from tests.storage.engine.harness import Backend, Store, add, tallies, together


class TroubleError(Exception):
    pass


def failing(change: Callable[[Sql], Any], error: BaseException) -> Callable[[Sql], Any]:
    def fails(sql: Sql) -> None:
        change(sql)
        raise error

    return fails


async def test_what_a_change_wrote_is_read_afterwards(store: Store) -> None:
    assert await store.write(add("a", 3)) == 1
    assert await store.read(tallies) == {"a": 3}


async def test_a_change_that_raises_is_undone_and_its_caller_gets_the_error(store: Store) -> None:
    trouble = TroubleError()
    with pytest.raises(TroubleError) as caught:
        await store.write(failing(add("a"), trouble))
    assert caught.value is trouble
    assert await store.read(tallies) == {}


async def test_of_changes_that_wait_together_one_that_raises_is_undone_alone(store: Store, backend: Backend) -> None:
    changes = [add("a"), failing(add("b"), TroubleError()), add("c"), failing(add("d"), TroubleError()), add("e")]
    outcomes = await together(store, changes, groups=backend.groups)
    assert [outcome if outcome == 1 else type(outcome) for outcome in outcomes] == [1, TroubleError, 1, TroubleError, 1]
    assert await store.read(tallies) == {"a": 1, "c": 1, "e": 1}


async def test_changes_that_wait_together_see_each_other_in_order(store: Store, backend: Backend) -> None:
    await store.write(add("a", 0))

    def bump(sql: Sql) -> int:
        sql.run("tally_add", name="a", more=1)
        return tallies(sql)["a"]

    assert await together(store, [bump] * 5, groups=backend.groups) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), GeneratorExit(), StopIteration()])
async def test_a_change_that_leaves_by_an_exit_is_undone_and_the_store_goes_on(
    store: Store, error: BaseException
) -> None:
    with pytest.raises(StorageError, match=type(error).__name__) as caught:
        await store.write(failing(add("a"), error))
    assert caught.value.__cause__ is error
    assert await store.write(tallies) == {}


async def test_a_cancellation_inside_a_change_does_not_look_like_one_of_its_caller(store: Store) -> None:
    with pytest.raises(StorageError, match="CancelledError"):
        await store.write(failing(add("a"), asyncio.CancelledError()))
    with pytest.raises(StorageError, match="CancelledError"):
        await store.read(failing(tallies, asyncio.CancelledError()))
    assert await store.read(tallies) == {}


async def test_a_coroutine_function_is_not_a_change(store: Store) -> None:
    async def change(sql: Sql) -> None:
        sql.run("tally_new", name="a", count=1)

    with pytest.raises(StorageError, match="plain function"):
        await store.write(change)  # type: ignore[unused-coroutine] # the mistake that this is about
    assert await store.read(tallies) == {}


async def test_a_key_that_is_there_already_leaves_the_transaction_usable(store: Store) -> None:
    def change(sql: Sql) -> str:
        sql.run("tally_new", name="a", count=1)
        with pytest.raises(UniqueViolation) as caught:
            sql.run("tally_new", name="a", count=2)
        sql.run("tally_new", name="b", count=3)
        return caught.value.statement

    assert await store.write(change) == "tally_new"
    assert await store.read(tallies) == {"a": 1, "b": 3}


async def test_a_unique_column_counts_as_a_key(store: Store) -> None:
    def change(sql: Sql) -> None:
        sql.run("mark_new", id="m", tally=None)
        sql.run("mark_new", id="m", tally=None)

    with pytest.raises(UniqueViolation, match="mark_new"):
        await store.write(change)
    assert await store.read(lambda sql: sql.all("mark_ids")) == []


async def test_another_broken_rule_is_not_a_repeated_key(store: Store) -> None:
    with pytest.raises(StorageError, match="tally_new") as caught:
        await store.write(lambda sql: sql.run("tally_new", name="a", count=None))
    assert not isinstance(caught.value, UniqueViolation)


async def test_a_reference_to_nothing_is_refused(store: Store) -> None:
    with pytest.raises(StorageError, match=r"(?i)foreign key"):
        await store.write(lambda sql: sql.run("mark_new", id="m", tally="nothing"))
    assert await store.read(lambda sql: sql.all("mark_ids")) == []


@pytest.mark.parametrize("value", [2**63, "\ud800"], ids=["too large", "not text"])
async def test_a_value_that_the_database_cannot_hold_is_a_storage_error(store: Store, value: int | str) -> None:
    with pytest.raises(StorageError, match="tally_new_or_not"):
        await store.write(lambda sql: sql.run("tally_new_or_not", name="a", count=value))


async def test_run_counts_the_rows_of_every_kind_of_statement(store: Store) -> None:
    def change(sql: Sql) -> list[int]:
        return [
            sql.run("tally_new", name="a", count=1),
            sql.run("tally_new_or_not", name="a", count=1),
            sql.run("tally_add", name="a", more=1),
            sql.run("tally_add", name="nobody", more=1),
            sql.run("tally_add_with", name="a", more=1),
            sql.run("tally_add_with", name="nobody", more=1),
            sql.run("tally_add_returning", name="a", more=1),
            sql.run("tally_all"),
        ]

    assert await store.write(change) == [1, 0, 1, 0, 1, 0, 1, 0]
    assert await store.read(tallies) == {"a": 4}


async def test_one_gives_the_first_row_or_none(store: Store) -> None:
    def change(sql: Sql) -> list[Any]:
        sql.run("tally_new", name="a", count=1)
        sql.run("tally_new", name="b", count=2)
        return [
            sql.one("tally_all"),
            sql.one("tally_count", name="nobody"),
            sql.one("tally_add_returning", name="a", more=4),
        ]

    assert await store.write(change) == [{"name": "a", "count": 1}, None, {"count": 5}]
    assert await store.read(tallies) == {"a": 5, "b": 2}


async def test_text_and_bytes_come_back_as_they_were(store: Store) -> None:
    text, data = "it's; \x1f ' \" -- ü 🙂", bytes(range(256))

    def change(sql: Sql) -> Any:
        sql.run("tally_new", name=text, count=-(2**63))
        sql.run("tally_data", name=text, data=data)
        return sql.one("tally_text", text=text)

    assert await store.write(change) == {"quoted": ":name is not a parameter here", "text": text}
    assert await store.read(lambda sql: sql.one("tally_get_data", name=text)) == {"data": data}
    assert await store.read(tallies) == {text: -(2**63)}


async def test_an_unknown_statement_or_parameter_is_named(store: Store) -> None:
    with pytest.raises(StorageError, match="tally_old"):
        await store.read(lambda sql: sql.all("tally_old"))
    with pytest.raises(StorageError, match="unknown parameters: nme; missing parameters: name"):
        await store.read(lambda sql: sql.one("tally_count", nme="a"))


async def test_a_query_cannot_write(store: Store) -> None:
    with pytest.raises(StorageError, match="tally_new"):
        await store.read(add("a"))
    assert await store.write(tallies) == {}


async def test_statements_of_a_transaction_that_is_over_are_refused(store: Store) -> None:
    kept = [await store.write(lambda sql: sql), await store.read(lambda sql: sql)]
    for sql in kept:
        with pytest.raises(StorageError, match="over"):
            sql.all("tally_all")


async def test_a_closed_store_refuses_and_closes_again(backend: Backend, place: str) -> None:
    store = await backend.open(place)
    await store.write(add("a"))
    await store.close()
    await store.close()
    with pytest.raises(StorageError, match="closed"):
        await store.write(add("b"))
    with pytest.raises(StorageError, match="closed"):
        await store.read(tallies)
    again = await backend.open(place)
    assert await again.read(tallies) == {"a": 1}
    await again.close()


async def test_one_story_gives_the_same_on_every_backend(store: Store, backend: Backend) -> None:
    changes = [add(name, index) for index, name in enumerate("abcabd")]
    outcomes = await together(store, changes, groups=backend.groups)
    assert [repr(outcome) for outcome in outcomes] == [
        "1",
        "1",
        "1",
        "UniqueViolation('tally_new: a row with this key is there already')",
        "UniqueViolation('tally_new: a row with this key is there already')",
        "1",
    ]
    assert await store.read(tallies) == {"a": 0, "b": 1, "c": 2, "d": 5}
