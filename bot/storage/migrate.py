"""
Numbered migrations: which files there are, and which of them a database still lacks.

This half is the same for every backend and only reads files. A backend applies what ``pending`` returns
under a lock of its own, in one transaction. A migration that was ever applied is never edited: its checksum
is recorded, because a database built from another text than the one in the repository cannot be trusted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.errors import MigrationError
from bot.storage.statements import Layer

_FILE = re.compile(r"(?P<version>\d{4})_(?P<name>[a-z0-9_]+)\.sql")


@dataclass(frozen=True, kw_only=True)
class Migration:
    """One numbered file."""

    version: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """The fingerprint of the text; line ends do not count, since a checkout may change them."""
        return hashlib.sha256("\n".join(self.text.splitlines()).encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.version:04d}_{self.name}"


def for_dialect(dialect: str) -> tuple[Migration, ...]:
    """Return the migrations of Trackside as a dialect such as ``sqlite`` has them."""
    own = {"postgres": Layer(package="bot.storage", directory="migrations/postgres")}
    return load(Layer(package="bot.storage", directory="migrations"), own.get(dialect))


def load(layer: Layer, own: Layer | None = None) -> tuple[Migration, ...]:
    """
    Return the migrations of a directory in their order; a file of ``own`` takes the place of its namesake.

    Raises ``MigrationError`` for a file name other than ``0001_some_name.sql`` and for a gap or a repeat
    in the numbers: two branches that both added a migration are told so when they meet.
    """
    found = []
    files = {file.name: file for file in layer.files()}
    for file in () if own is None else own.files():
        if file.name not in files:
            raise MigrationError(f"{file.name}: takes the place of no other migration; put it beside them")
        files[file.name] = file
    for file in files.values():
        match = _FILE.fullmatch(file.name)
        if match is None:
            raise MigrationError(f"{file.name}: a migration is named like 0001_some_name.sql")
        text = file.read_text(encoding="utf-8")
        found.append(Migration(version=int(match["version"]), name=match["name"], text=text))
    for expected, migration in enumerate(found, start=1):
        if migration.version != expected:
            raise MigrationError(f"{migration}: expected number {expected:04d} here; renumber the newest file")
    return tuple(found)


def pending(migrations: Sequence[Migration], applied: Mapping[int, str]) -> tuple[Migration, ...]:
    """
    Return the migrations that the database lacks; ``applied`` maps its versions to their checksums.

    Raises ``MigrationError`` when the database is newer than the files, or was built from other files.
    """
    newest = max(applied, default=0)
    if newest > len(migrations):
        raise MigrationError(
            f"The database has schema {newest}, this version knows {len(migrations)}. "
            "Start the newer version again, or restore the backup made before the upgrade."
        )
    for migration in migrations[:newest]:
        if applied.get(migration.version) != migration.checksum:
            raise MigrationError(
                f"The migration {migration} is not the one that this database was built with. "
                "Restore the file as it was released and put the change into a new migration."
            )
    return tuple(migrations[newest:])
