"""Tells how far behind the schema of a database is, and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import psycopg

from bot.storage.migrate import Migration, pending
from bot.storage.postgres.connect import Connector
from bot.storage.postgres.faults import translated
from bot.storage.postgres.texts import Texts
from bot.storage.statements import Statements


def lacking(connector: Connector, statements: Statements, migrations: Sequence[Migration]) -> int:
    """
    Return how many migrations the database lacks.

    Raises ``MigrationError`` when it cannot be brought to this version, ``StorageError`` when it cannot be reached.
    """
    texts = Texts(statements)
    with closing(connector.for_reading()) as connection:
        try:
            (answer,) = connection.execute(texts.get("control_has_schema")[1]).fetchall()
            if not answer["found"]:
                return len(migrations)
            rows = connection.execute(texts.get("schema_applied")[1]).fetchall()
        except psycopg.Error as fault:
            raise translated(fault, "the schema cannot be read") from fault
    return len(pending(migrations, {row["version"]: row["checksum"] for row in rows}))
