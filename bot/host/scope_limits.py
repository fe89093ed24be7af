"""
Limits of owners and repositories: written by name, held by id.

Names change and ids do not: once a name was found, its limit follows the id, also after the owner or repository was
renamed and the bot was started anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bot.domain.admission import Terms
from bot.domain.budget import Budget
from bot.domain.scope import ScopeKind
from bot.ids import ScopeId
from bot.storage.contract import Store, Tx

T = TypeVar("T")


def narrowing(limits: Mapping[str, int], root: int) -> dict[str, int]:
    """
    Return the limits that narrow what their parent allows (C-153), by name.

    The parent of a repository is its owner; that of an owner, and of a repository whose owner has no limit, is
    ``root``. A limit that is not below its parent's says nothing.
    """
    owners = {name: limit for name, limit in limits.items() if "/" not in name and limit < root}
    above = {name: owners.get(name.partition("/")[0], root) for name in limits if "/" in name}
    return owners | {name: limits[name] for name, most in above.items() if limits[name] < most}


@dataclass(kw_only=True)
class ScopeLimits:
    """
    Holds the limits and budgets that were found so far.

    ``named`` returns the limits in force, ``budgets`` the budgets of single scopes, both by lower-case name.
    """

    store: Store
    named: Callable[[], Mapping[str, int]]
    budgets: Callable[[], Mapping[str, tuple[Budget, ...]]] = dict
    _found: tuple[tuple[ScopeId, int], ...] = field(default=(), init=False)
    _narrowed: tuple[Budget, ...] = field(default=(), init=False)

    def applied(self, terms: Terms) -> Terms:
        """Return terms of a start with the limits and budgets in them, as of the last look."""
        limits = replace(terms.limits, scopes=(*terms.limits.scopes, *self._found))
        return replace(terms, limits=limits, budgets=(*terms.budgets, *self._narrowed))

    async def look(self) -> None:
        """Find the ids of all names: those that bear them now, and those that did when they were found."""
        named, budgets = self.named(), self.budgets()
        if not named and not budgets:
            self._found, self._narrowed = (), ()
            return
        (self._found, fresh), (narrowed, more) = await self.store.read(
            lambda tx: (_resolve(tx, named), _resolve(tx, budgets))
        )
        self._narrowed = tuple(replace(each, scope=scope) for scope, those in narrowed for each in those)
        fresh |= more
        if fresh:
            await self.store.write(lambda tx: _remember(tx, fresh))


def _resolve(tx: Tx, named: Mapping[str, T]) -> tuple[tuple[tuple[ScopeId, T], ...], dict[str, str]]:
    former: dict[ScopeId, T] = {}
    current: dict[ScopeId, T] = {}
    fresh = {}
    for name, limit in named.items():
        known = (tx.cursors.get(_mark(name)) or "").split()
        bearers = tx.scopes.named(name, ScopeKind.REPOSITORY if "/" in name else ScopeKind.OWNER)
        former |= {ScopeId(each): limit for each in known}
        current |= dict.fromkeys(bearers, limit)
        if not {*bearers} <= {*known}:
            fresh[name] = " ".join(sorted({*known, *bearers}))
    # Who bears a name now has its limit, whatever it was called before.
    return tuple(sorted((former | current).items(), key=lambda each: each[0])), fresh


def _remember(tx: Tx, fresh: Mapping[str, str]) -> None:
    for name, scopes in fresh.items():
        tx.cursors.put(_mark(name), scopes)


def _mark(name: str) -> str:
    return f"scope limit/{name}"
