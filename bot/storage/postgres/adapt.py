"""Lets values go to PostgreSQL and come back as they do with SQLite."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper

_NUL = "\x00"
_INSTEAD = "\N{REPLACEMENT CHARACTER}"


def adapt(connection: psycopg.Connection[Any]) -> None:
    """Prepare a connection. Every number is sent as 64 bits, whatever its size, so that a statement has one plan."""
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(bool, _FlagDumper)
    connection.adapters.register_dumper(str, _TextDumper)
    connection.adapters.register_loader("numeric", _NumberLoader)


class _FlagDumper(Int8Dumper):
    def dump(self, obj: Any) -> Buffer | None:  # noqa: ANN401 - as the driver declares it
        return super().dump(int(obj))


class _TextDumper(StrDumper):
    """
    Sends a text. PostgreSQL holds no NUL, which a program may well print, so another character takes its place.

    Refusing it would let one odd line of output keep a Work from ever ending.
    """

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace(_NUL, _INSTEAD) if _NUL in obj else obj)


class _NumberLoader(Loader):
    """Reads what a sum of whole numbers is, or an average."""

    def load(self, data: Buffer) -> int | float:
        number = Decimal(bytes(data).decode())
        return int(number) if number == number.to_integral_value() else float(number)
