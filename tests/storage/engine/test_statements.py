"""Statements by name: how files are read, and which mistakes are told."""

from __future__ import annotations

import pytest

from bot.errors import StorageError
from bot.storage.postgres.texts import pyformat
from bot.storage.statements import Layer, Statements, for_dialect, parse
from tests.storage.engine.harness import HERE, statements


def test_a_statement_reaches_to_the_next_name() -> None:
    text = "-- What this file is about.\n\n-- name: first\nSELECT 1;\n\n-- name: second_2\nSELECT\n  2;\n"
    assert [(found.name, found.text) for found in parse(text, "x.sql")] == [
        ("first", "SELECT 1;"),
        ("second_2", "SELECT\n  2;"),
    ]


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("SELECT :a, :b_2, :a", {"a", "b_2"}),
        ("SELECT ':quoted', 'it''s :quoted'", set()),
        ('SELECT ":column", "a "" :column"', set()),
        ("SELECT 1 -- not :this\n, :that", {"that"}),
        ("SELECT 1 /* not :this\n nor :this */, :that", {"that"}),
        ("SELECT :value::text, now()::date", {"value"}),
        ("SELECT '12:30', :at", {"at"}),
    ],
)
def test_parameters_are_found_outside_of_quotes_comments_and_casts(text: str, parameters: set[str]) -> None:
    (statement,) = parse(f"-- name: it\n{text}", "x.sql")
    assert statement.parameters == parameters


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT 1;\n-- name: a\nSELECT 2;", "before the first name"),
        ("SELECT 1;", "before the first name"),
        ("-- name: a\n-- name: b\nSELECT 1;", "a is empty"),
        ("-- name: a\n-- only a comment\n;", "a is empty"),
        ("-- name:\nSELECT 1;", "is not a name"),
        ("-- name: Big\nSELECT 1;", "'Big' is not a name"),
        ("-- name: with-dash\nSELECT 1;", "'with-dash' is not a name"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_the_files_name(text: str, reason: str) -> None:
    with pytest.raises(StorageError, match=rf"x\.sql: .*{reason}"):
        list(parse(text, "x.sql"))


def test_parameters_are_written_as_a_driver_wants_them() -> None:
    text = "SELECT :a::text, ':a', 7 % :b -- 100% of :a\n"
    assert pyformat(text) == "SELECT %(a)s::text, ':a', 7 %% %(b)s -- 100%% of :a\n"


def test_a_later_layer_takes_the_place_of_an_earlier_one() -> None:
    usual, broken = for_dialect("sqlite"), statements("sql/broken")
    assert usual.get("control_rollback").text == "ROLLBACK;"
    assert broken.get("control_rollback").text == "SELECT 1;"
    assert broken.get("control_commit") == usual.get("control_commit")


def test_what_one_dialect_says_for_repositories_the_other_says_too() -> None:
    sqlite, postgres = (
        {
            statement.name
            for file in Layer(package="bot.storage", directory=f"sql/{dialect}").files()
            for statement in parse(file.read_text(), file.name)
            if not statement.name.startswith("control_")
        }
        for dialect in ("sqlite", "postgres")
    )
    assert sqlite == postgres


def test_a_name_twice_in_one_layer_is_refused() -> None:
    with pytest.raises(StorageError, match=r"b\.sql: a second statement is named one_name"):
        Statements(Layer(package=HERE, directory="sql/doubled"))


def test_a_directory_that_is_missing_is_refused() -> None:
    with pytest.raises(StorageError, match="sql/oracle"):
        for_dialect("oracle")


def test_a_name_that_no_file_has_is_told() -> None:
    with pytest.raises(StorageError, match="no statement is named nothing"):
        for_dialect("sqlite").get("nothing")


def test_parameters_must_be_those_of_the_statement() -> None:
    (statement,) = parse("-- name: it\nSELECT :a, :b", "x.sql")
    statement.check({"a": 1, "b": None})
    with pytest.raises(StorageError, match="it: unknown parameters: c, d; missing parameters: b"):
        statement.check({"a": 1, "c": 1, "d": 1})
    with pytest.raises(StorageError, match="it: unknown parameters: none; missing parameters: a, b"):
        statement.check({})
