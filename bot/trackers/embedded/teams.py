"""Teams of organisations, and who is in them."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import Millis
from bot.trackers.embedded import people
from bot.trackers.embedded.faults import invalid, not_found
from bot.trackers.embedded.store import Tx
from bot.trackers.embedded.values import Account, AccountKind


@dataclass(frozen=True, kw_only=True)
class Team:
    """A team; ``members`` counts its members."""

    id: int
    organization: Account
    slug: str
    name: str
    members: int
    created_at: Millis


async def add(tx: Tx, organization: str, slug: str, *, now: Millis) -> Team:
    """Add a team without members. Raises ``RefusedError``: 404 for no account, 422 for a person or a taken name."""
    owner = await people.find(tx, organization)
    if owner.kind is not AccountKind.ORGANIZATION:
        raise invalid("Team", "organization")
    if await tx.one("team_by_slug", organization=organization, slug=slug) is not None:
        raise invalid("Team", "name", "already_exists")
    identity = await tx.next_id()
    await tx.run("team_insert", id=identity, organization=owner.id, slug=slug, name=slug, now=now)
    return Team(id=identity, organization=owner, slug=slug, name=slug, members=0, created_at=now)


async def find(tx: Tx, organization: str, slug: str) -> Team:
    """Return the team. Raises ``RefusedError`` (404)."""
    row = await tx.one("team_by_slug", organization=organization, slug=slug)
    if row is None:
        raise not_found()
    return Team(
        id=row["id"],
        organization=await people.find(tx, organization),
        slug=row["slug"],
        name=row["name"],
        members=row["members"],
        created_at=Millis(row["created_at"]),
    )


async def set_member(tx: Tx, team: Team, login: str, *, member: bool) -> None:
    """Take an account into a team, or out of it. Raises ``RefusedError`` (404)."""
    account = await people.find(tx, login)
    await tx.run("team_member_put" if member else "team_member_delete", team=team.id, account=account.id)


async def is_member(tx: Tx, team: Team, account: Account) -> bool:
    """Return whether an account is in a team."""
    return await tx.one("team_member", team=team.id, account=account.id) is not None
