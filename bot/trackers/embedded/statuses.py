"""Statuses of commits: what an account says of a commit under a context. The last one of a context counts."""

from __future__ import annotations

from bot.clock import Millis
from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.check_values import Claim, Status
from bot.trackers.embedded.commits import Commit
from bot.trackers.embedded.faults import invalid
from bot.trackers.embedded.hooks import emit
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.repositories import require
from bot.trackers.embedded.shapes.commits import commit_json, tip_json
from bot.trackers.embedded.store import Row, Value
from bot.trackers.embedded.values import Listed, Repository, Role, Window

STATES = ("error", "failure", "pending", "success")
MAX_DESCRIPTION = 140
MOST = 1_000
"""Statuses that a commit takes of one context."""


async def report(act: Act, repository: Repository, commit: Commit, claim: Claim) -> Status:
    """
    Say something of a commit.

    Raises ``RefusedError``: 403 without write access, 422 for an unknown state, a long description or too many.
    """
    await require(act, repository, Role.WRITE)
    if claim.state not in STATES:
        raise invalid("Status", "state")
    if len(claim.description or "") > MAX_DESCRIPTION:
        message = f"description is too long (maximum is {MAX_DESCRIPTION} characters)"
        raise invalid("Status", "description", "custom", message)
    where: dict[str, Value] = {"repository": repository.id, "sha": commit.sha, "context": claim.context}
    there = await act.tx.all("statuses_of_context", **where)
    if len(there) >= MOST:
        message = "This SHA and context has reached the maximum number of statuses."
        raise invalid("Status", "context", "custom", message)
    identity = await act.tx.next_id()
    await act.tx.run(
        "status_insert",
        **where,
        id=identity,
        creator=act.actor.id,
        state=claim.state,
        description=claim.description,
        target_url=claim.target_url,
        now=act.now,
    )
    await act.tx.run("pulls_stir", repository=repository.id, sha=commit.sha)
    made = Status(id=identity, sha=commit.sha, claim=claim, creator=act.actor, created_at=act.now)
    await _tell(act, repository, commit, made)
    return made


async def of_commit(act: Act, repository: Repository, sha: str, window: Window) -> Listed[Status]:
    """Return all that was said of a commit, newest first."""
    found = await act.tx.all(
        "statuses_list", repository=repository.id, sha=sha, limit=window.limit, offset=window.offset
    )
    return rows.listed(found, _status)


async def latest(act: Act, repository: Repository, sha: str) -> tuple[Status, ...]:
    """Return the last status of each context, whoever set it."""
    return tuple(_status(row) for row in await act.tx.all("statuses_latest", repository=repository.id, sha=sha))


def combined(statuses: tuple[Status, ...]) -> str:
    """Return what the last statuses of all contexts say together."""
    states = {each.claim.state for each in statuses}
    if states & {"error", "failure"}:
        return "failure"
    return "success" if states == {"success"} else "pending"


async def _tell(act: Act, repository: Repository, commit: Commit, status: Status) -> None:
    body = {
        "id": status.id,
        "sha": commit.sha,
        "name": repository.full_name,
        "avatar_url": None,
        "target_url": status.claim.target_url,
        "context": status.claim.context,
        "description": status.claim.description,
        "state": status.claim.state,
        "commit": commit_json(act.links, repository, commit),
        "created_at": iso(status.created_at),
        "updated_at": iso(status.created_at),
        "branches": [tip_json(act.links, repository, commit, name) for name in commit.branches],
    }
    await emit(act, repository, "status", None, body)


def _status(row: Row) -> Status:
    return Status(
        id=row["id"],
        sha=row["sha"],
        claim=Claim(
            state=row["state"],
            context=row["context"],
            description=row["description"],
            target_url=row["target_url"],
        ),
        creator=rows.joined(row, "creator", "creator"),
        created_at=Millis(row["created_at"]),
    )
