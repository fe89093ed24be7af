"""Configurations that attempts were started under, kept as long as something of such an attempt is left (C-21)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.clock import Millis
from bot.storage.rows import dump, load_mapping
from bot.storage.sql import Sql


@dataclass(frozen=True)
class Generations:
    """Generations, by digest: what their executors were made of, without secrets."""

    sql: Sql

    def keep(self, digest: str, document: Mapping[str, object], now: Millis) -> None:
        """Store a generation, in the transaction of each claim that names it."""
        self.sql.run("generation_keep", digest=digest, document=dump(dict(document)), now=now)

    def get(self, digest: str) -> Mapping[str, object] | None:
        """Return what the executors of a generation were made of."""
        row = self.sql.one("generation_by_digest", digest=digest)
        return None if row is None else load_mapping(row["document"])

    def all(self) -> Mapping[str, Mapping[str, object]]:
        """Return every generation that is stored, by digest."""
        return {row["digest"]: load_mapping(row["document"]) for row in self.sql.all("generations_all")}

    def prune(self, before: Millis) -> int:
        """
        Remove each generation of which no attempt is unfinished or not known to have stopped. Returns how many.

        One that was claimed under after ``before`` stays: a claim of another host may not be visible yet.
        """
        return self.sql.run("generations_prune", before=before)
