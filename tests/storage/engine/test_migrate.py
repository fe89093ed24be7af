"""Which migrations a database lacks, and directories that cannot be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import MigrationError
from bot.storage.migrate import Migration, for_dialect, load, pending
from bot.storage.statements import Layer
from tests.storage.engine.harness import MIGRATIONS


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a directory in a package of its own, which ``layer`` reads."""
    package = tmp_path / f"package_{tmp_path.name.replace('-', '_')}"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    folder = package / "migrations"
    folder.mkdir()
    return folder


def layer(directory: Path) -> Layer:
    return Layer(package=directory.parent.name, directory=directory.name)


def write(directory: Path, *names: str) -> None:
    for name in names:
        (directory / name).write_text(f"-- {name}\n")


def test_files_are_ordered_by_number(directory: Path) -> None:
    write(directory, "0002_b.sql", "0001_z.sql", "0003_a.sql", "README.md")
    assert [str(migration) for migration in load(layer(directory))] == ["0001_z", "0002_b", "0003_a"]


@pytest.mark.parametrize("name", ["1_short.sql", "0001-dash.sql", "0001_Big.sql", "later.sql"])
def test_a_file_with_another_kind_of_name_is_refused(directory: Path, name: str) -> None:
    write(directory, name)
    with pytest.raises(MigrationError, match="named like 0001_some_name"):
        load(layer(directory))


@pytest.mark.parametrize(
    "names",
    [("0001_a.sql", "0003_c.sql"), ("0001_a.sql", "0002_b.sql", "0002_c.sql"), ("0000_a.sql",)],
    ids=["gap", "repeat", "zero"],
)
def test_numbers_have_no_gap_and_no_repeat(directory: Path, names: tuple[str, ...]) -> None:
    write(directory, *names)
    with pytest.raises(MigrationError, match="renumber"):
        load(layer(directory))


def test_a_dialect_has_a_text_of_its_own_for_a_migration(directory: Path) -> None:
    write(directory, "0001_a.sql", "0002_b.sql")
    own = directory / "dialect"
    own.mkdir()
    (own / "0001_a.sql").write_text("-- another\n")
    found = load(layer(directory), Layer(package=directory.parent.name, directory=f"{directory.name}/dialect"))
    assert [(str(each), each.text) for each in found] == [("0001_a", "-- another\n"), ("0002_b", "-- 0002_b.sql\n")]


def test_a_dialect_has_no_migration_of_its_own(directory: Path) -> None:
    write(directory, "0001_a.sql")
    own = directory / "dialect"
    own.mkdir()
    write(own, "0001_other.sql")
    with pytest.raises(MigrationError, match="takes the place of no other"):
        load(layer(directory), Layer(package=directory.parent.name, directory=f"{directory.name}/dialect"))


def test_each_dialect_has_the_same_tables_with_the_same_columns() -> None:
    common, own = for_dialect("sqlite"), for_dialect("postgres")
    assert [str(each) for each in common] == [str(each) for each in own]
    for one, other in zip(common, own, strict=True):
        assert _plain(other.text) == _plain(one.text)


def _plain(text: str) -> list[str]:
    """Return the words of a migration, without what the dialects write differently."""
    for name, other in {"BIGINT": "INTEGER", "BYTEA": "BLOB", " GENERATED ALWAYS AS IDENTITY": ""}.items():
        text = text.replace(name, other)
    return text.split()


def test_line_ends_do_not_change_a_checksum_but_words_do() -> None:
    unix = Migration(version=1, name="a", text="one\ntwo\n")
    assert Migration(version=1, name="a", text="one\r\ntwo\r\n").checksum == unix.checksum
    assert Migration(version=1, name="a", text="one\ntoo\n").checksum != unix.checksum


def test_a_database_lacks_what_comes_after_its_newest() -> None:
    first, second = MIGRATIONS
    assert pending(MIGRATIONS, {}) == (first, second)
    assert pending(MIGRATIONS, {1: first.checksum}) == (second,)
    assert pending(MIGRATIONS, {1: first.checksum, 2: second.checksum}) == ()


def test_a_database_with_a_gap_was_not_built_from_these_files() -> None:
    with pytest.raises(MigrationError, match="0001_tally is not the one"):
        pending(MIGRATIONS, {2: MIGRATIONS[1].checksum})
