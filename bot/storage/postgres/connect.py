"""Opens connections to the database, and makes each safe to use before anything else runs on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import conninfo
from psycopg.rows import DictRow, dict_row

from bot.ids import new_id
from bot.storage.postgres.adapt import adapt
from bot.storage.postgres.faults import translated
from bot.storage.postgres.texts import Texts
from bot.storage.statements import Statements

Connection = psycopg.Connection[DictRow]

_NETWORK = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "client_encoding": "utf8",
}
"""How soon a server that does not answer any more is given up, where the URL does not say."""


def _name() -> str:
    return new_id("trackside")


@dataclass(frozen=True, kw_only=True)
class PostgresSettings:
    """
    How the store uses its database. Times are in milliseconds.

    ``readers`` is the number of reading connections; ``group`` bounds how many changes share one commit. A writer
    waits ``lock_timeout`` for the other hosts. A host that is paused within a transaction loses it after
    ``idle_timeout``, and a statement that hangs is ended after ``statement_timeout``: together they bound how long
    one host can keep up the others. ``upgrade_timeout`` is how long one waits for another that is changing the
    schema. ``name`` tells the connections of one store from those of others.
    """

    url: str
    readers: int = 4
    group: int = 64
    lock_timeout: int = 10_000
    idle_timeout: int = 5_000
    statement_timeout: int = 12_000
    upgrade_timeout: int = 60_000
    name: str = field(default_factory=_name)


class Connector:
    """Makes connections to one database. Each belongs to the thread that asked for it."""

    def __init__(self, settings: PostgresSettings, statements: Statements) -> None:
        self._settings = settings
        self._texts = Texts(statements)

    def for_upgrade(self) -> Connection:
        """Connect for changing the schema, which may take its time once it has begun."""
        return self._prepared(lock=self._settings.upgrade_timeout, idle=0, statement=0)

    def for_writing(self) -> Connection:
        """Connect for changes."""
        settings = self._settings
        return self._prepared(
            lock=settings.lock_timeout, idle=settings.idle_timeout, statement=settings.statement_timeout
        )

    def for_reading(self) -> Connection:
        """Connect for queries. They keep up nobody, but old snapshots keep dead rows, so they end some time too."""
        settings = self._settings
        return self._prepared(
            lock=settings.lock_timeout, idle=10 * settings.idle_timeout, statement=10 * settings.statement_timeout
        )

    def _prepared(self, *, lock: int, idle: int, statement: int) -> Connection:
        values = {"lock": str(lock), "idle": str(idle), "statement": str(statement)}
        try:
            connection = psycopg.connect(
                self._settings.url, **parameters(self._settings), autocommit=True, row_factory=dict_row
            )
        except psycopg.Error as fault:
            raise translated(fault, "cannot connect to the database") from fault
        adapt(connection)
        try:
            connection.execute(self._texts.get("control_limits")[1], values)
        except psycopg.Error as fault:
            connection.close()
            raise translated(fault, "cannot use the database") from fault
        except BaseException:
            connection.close()
            raise
        return connection


def parameters(settings: PostgresSettings) -> dict[str, Any]:
    """Return what every connection of a store is made with, beside its URL."""
    given = conninfo.conninfo_to_dict(settings.url)
    return {"application_name": settings.name} | {key: value for key, value in _NETWORK.items() if key not in given}
