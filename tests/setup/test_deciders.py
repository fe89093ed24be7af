"""The people and teams that gates name, as the doctor looks for them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bot.errors import TrackerError
from bot.setup.deciders import deciders
from bot.setup.finding import Finding, Severity
from tests.playbook.samples import small


@dataclass(frozen=True)
class Names:
    """A tracker that knows some names, and cannot tell of one."""

    known: frozenset[str] = frozenset({"grace", "acme/core"})
    broken: str = ""

    async def exists(self, name: str) -> bool:
        if name == self.broken:
            raise TrackerError("the tracker refused", status=403)
        return name in self.known


async def found(gate: str, names: Names | None = None) -> list[Finding]:
    playbook = small(("permission: write", f"permission: write, {gate}"))
    return [each async for each in deciders(names or Names(), [playbook])]


# gh-K-07
@pytest.mark.parametrize(
    ("gate", "text"),
    [
        ("users: [ada, grace]", "gates.start.users of tidy: nobody is called ada"),
        ("teams: [acme/docs]", "gates.start.teams of tidy: there is no team acme/docs that the bot may see"),
    ],
)
async def test_a_name_that_nobody_has_is_an_error_with_its_place_and_a_cure(gate: str, text: str) -> None:
    (finding,) = await found(gate)
    assert (finding.severity, finding.text) == (Severity.ERROR, text)
    assert finding.cure


async def test_names_that_are_there_are_fine_and_told_together() -> None:
    assert [each.severity for each in await found("users: [grace], teams: [acme/core]")] == [Severity.FINE]


async def test_of_gates_that_name_nobody_nothing_is_told() -> None:
    assert await found("not: [starter]") == []


# gh-K-05
async def test_a_name_that_cannot_be_looked_for_is_not_said_to_be_missing() -> None:
    (finding,) = await found("users: [grace]", Names(broken="grace"))
    assert finding.severity is Severity.ERROR
    assert "could not be looked for" in finding.text
