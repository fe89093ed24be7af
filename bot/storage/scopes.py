"""Scopes and the items (issues, pull requests) in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.scope import Scope, ScopeKind
from bot.ids import ScopeId
from bot.storage.sql import Row, Sql


@dataclass(frozen=True)
class Scopes:
    """The tree of scopes."""

    sql: Sql

    def put(self, scope: Scope) -> None:
        """Store a scope, or its new name and parent."""
        self.sql.run("scope_put", id=scope.id, parent=scope.parent, kind=scope.kind.value, name=scope.name)

    def get(self, scope: ScopeId) -> Scope | None:
        """Return a scope."""
        row = self.sql.one("scope_by_id", id=scope)
        if row is None:
            return None
        return Scope(
            id=ScopeId(row["id"]),
            parent=None if row["parent"] is None else ScopeId(row["parent"]),
            kind=ScopeKind(row["kind"]),
            name=row["name"],
        )

    def named(self, name: str, kind: ScopeKind) -> Sequence[ScopeId]:
        """Return the scopes of a kind that were last seen under a name, whatever its capitals."""
        return [ScopeId(row["id"]) for row in self.sql.all("scopes_named", name=name.lower(), kind=kind.value)]

    def line(self, scope: ScopeId) -> Sequence[ScopeId]:
        """Return the scope and its ancestors, the root last."""
        return [ScopeId(row["id"]) for row in self.sql.all("scope_line", id=scope)]


@dataclass(frozen=True, kw_only=True)
class Item:
    """An issue or pull request. ``cursor`` is the id of the newest of its own events that was accepted."""

    key: str
    scope: ScopeId
    number: int
    cursor: int


def _item(row: Row) -> Item:
    return Item(key=row["key"], scope=ScopeId(row["scope"]), number=row["number"], cursor=row["cursor"])


@dataclass(frozen=True)
class Items:
    """Issues and pull requests that were seen."""

    sql: Sql

    def ensure(self, key: str, scope: ScopeId, number: int) -> Item:
        """Return the item, storing it when it is new."""
        self.sql.run("item_put", key=key, scope=scope, number=number)
        row = self.sql.one("item_by_key", key=key)
        assert row is not None  # noqa: S101 - it was just put
        return _item(row)

    def get(self, key: str) -> Item | None:
        """Return an item."""
        row = self.sql.one("item_by_key", key=key)
        return None if row is None else _item(row)

    def advance(self, key: str, cursor: int) -> None:
        """Move an item's cursor forward; it never moves back."""
        self.sql.run("item_advance", key=key, cursor=cursor)


@dataclass(frozen=True)
class Cursors:
    """Named marks of how far something was read."""

    sql: Sql

    def get(self, name: str) -> str | None:
        """Return a mark."""
        row = self.sql.one("cursor_get", name=name)
        return None if row is None else str(row["value"])

    def put(self, name: str, value: str) -> None:
        """Set a mark."""
        self.sql.run("cursor_put", name=name, value=value)
