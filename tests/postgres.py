"""
A PostgreSQL server of the tests' own: one for each process of the suite that asks for one, gone with it.

It listens on a socket in a directory of its own only. It compares texts as people do, not byte by byte, so that what
relies on the order of bytes is found. PostgreSQL refuses to run as root, so that root starts it as another user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

PATIENCE = 60
USER = "trackside"
_PROGRAMS = ("initdb", "pg_ctl", "postgres")
_INITDB = (
    "--auth=trust",
    f"--username={USER}",
    "--no-sync",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    "--locale-provider=icu",
    "--icu-locale=en-US",
)
_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "''",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "autovacuum": "off",
}
_KEEPER = """
"$1" -D "$2/data" -l "$2/log" -o "$3" -w start >/dev/null || exit
echo started
read -r kept
"$1" -D "$2/data" -m fast -w stop >/dev/null
[ "$kept" ] || rm -rf "$2"
"""
"""The server ends when its keeper's standard input does: also, and then with its files, when the tests are killed."""


@cache
def programs() -> Path | None:
    """Return the directory of the newest PostgreSQL server on this machine."""
    if all(shutil.which(name) for name in _PROGRAMS):
        return Path(shutil.which("postgres") or "").resolve().parent
    installed = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    return max(installed, key=lambda path: int(path.parent.name), default=None)


class Server:
    """A server, and the places for databases in it."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._keeper: subprocess.Popen[str] | None = None
        self._directory: Path | None = None

    def place(self) -> str:
        """
        Return the URL of an empty place: a schema of its own, which costs a tenth of a database of its own.

        The server is started when it is first asked for one.
        """
        name = f"t{next(self._numbers)}"
        self._do("CREATE SCHEMA {}", name)
        return f"{self._url()}&options=-csearch_path%3D{name}"

    def drop(self, place: str) -> None:
        """Remove a place with all that is in it."""
        options = str(psycopg.conninfo.conninfo_to_dict(place)["options"])
        self._do("DROP SCHEMA {} CASCADE", options.partition("=")[2])

    def remember(self, place: str) -> str:
        """Return what brings a place back to the rows that it has now, many times faster than making it anew."""
        with psycopg.connect(place, autocommit=True) as connection:
            found = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema"
            tables = [sql.Identifier(row[0]) for row in connection.execute(found).fetchall()]
            found = (
                "SELECT table_name::text, column_name::text FROM information_schema.columns"
                " WHERE table_schema = current_schema AND is_identity = 'YES'"
            )
            numbered = connection.execute(found).fetchall()
            steps: list[sql.Composable] = [
                sql.SQL("SET session_replication_role = replica")
            ]  # so that references are not looked up
            steps += [sql.SQL("DELETE FROM {}").format(table) for table in tables]
            for number, table in enumerate(tables):
                if connection.execute(sql.SQL("SELECT 1 FROM {} LIMIT 1").format(table)).fetchone() is None:
                    continue
                kept = sql.Identifier(f"kept_{number}")
                connection.execute(sql.SQL("CREATE TABLE {} AS TABLE {}").format(kept, table))
                steps.append(sql.SQL("INSERT INTO {} SELECT * FROM {}").format(table, kept))
            for names in numbered:
                steps.append(
                    sql.SQL("ALTER TABLE {} ALTER {} RESTART").format(*(sql.Identifier(name) for name in names))
                )
            return sql.SQL("; ").join(steps).as_string(connection)

    def start(self) -> None:
        """Start it again after ``stop``."""
        self._start(self._place())

    def restart(self) -> None:
        """Stop it as an operator does who is in a hurry, and start it: connections end, what was committed stays."""
        self.stop()
        self._start(self._place())

    def stop(self) -> None:
        """Stop it; its files stay."""
        if self._keeper is not None:
            self._keeper.communicate("kept\n", timeout=PATIENCE)
            self._keeper = None

    def end(self) -> None:
        """Stop it for good, and remove its files."""
        self.stop()
        if self._directory is not None:
            shutil.rmtree(self._directory)
            self._directory = None

    def _url(self) -> str:
        return f"postgresql://{USER}@/postgres?host={self._place()}"

    def _do(self, text: LiteralString, *names: str) -> None:
        with psycopg.connect(self._url(), autocommit=True) as connection:
            connection.execute(sql.SQL(text).format(*map(sql.Identifier, names)))

    def _place(self) -> Path:
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="pg-"))
            if user := _user():
                shutil.chown(self._directory, user["user"], user["group"])
            subprocess.run(
                [_program("initdb"), "-D", self._directory / "data", *_INITDB], check=True, stdout=-3, **_user()
            )
            self._start(self._directory)
        return self._directory

    def _start(self, directory: Path) -> None:
        options = " ".join([f"-k {directory}", *(f"-c {key}={value}" for key, value in _SETTINGS.items())])
        self._keeper = subprocess.Popen(
            ["sh", "-c", _KEEPER, "keeper", _program("pg_ctl"), directory, options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **_user(),
        )
        assert self._keeper.stdout is not None
        assert self._keeper.stdout.readline() == "started\n", (directory / "log").read_text()


SERVER = Server()


def need_server() -> Server:
    """Return the server. Where none is installed, the test is skipped; continuous integration has to have one."""
    if programs() is None:
        reason = "no PostgreSQL server is installed here (Debian: postgresql)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return SERVER


def _program(name: str) -> str:
    directory = programs()
    assert directory is not None
    return str(directory / name)


def _user() -> dict[str, Any]:
    """Return how to start a program of the server: as root, another user has to run it."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
