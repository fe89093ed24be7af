"""The pull request side of threads, as far as the database goes; ``pull_desk`` brings in git."""

from __future__ import annotations

from dataclasses import dataclass

from bot.trackers.embedded import rows, threads
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import announce, find_pull, find_thread
from bot.trackers.embedded.closing import closed_numbers
from bot.trackers.embedded.faults import RefusedError, invalid
from bot.trackers.embedded.history import record
from bot.trackers.embedded.repositories import require
from bot.trackers.embedded.values import Listed, Measure, Pull, Repository, Role, Thread, Window


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What a new pull request says, and which branches it joins."""

    title: str
    body: str | None
    head_ref: str
    base_ref: str
    draft: bool


@dataclass(frozen=True, kw_only=True)
class Tips:
    """Where head and base stand, and what lies between them."""

    head_sha: str
    base_sha: str
    measure: Measure


async def create(act: Act, repository: Repository, proposal: Proposal, tips: Tips) -> Thread:
    """Open a pull request. Raises ``RefusedError``: 403, 422 when one is open for the same branches."""
    await require(act, repository, Role.WRITE)
    wanted = PullFilter(head=proposal.head_ref, base=proposal.base_ref)
    if (await pulls_of(act, repository, wanted, Window(limit=1))).entries:
        label = f"{repository.owner.login}:{proposal.head_ref}"
        raise invalid("PullRequest", "head", "custom", f"A pull request already exists for {label}.")
    number = await threads.insert(act, repository, title=proposal.title, body=proposal.body, pull=True)
    thread = await find_thread(act, repository, number)
    await act.tx.run(
        "pull_insert",
        thread=thread.id,
        id=await act.tx.next_id(),
        head_ref=proposal.head_ref,
        base_ref=proposal.base_ref,
        draft=proposal.draft,
        **_tips(tips),
    )
    return await announce(act, repository, number, "opened")


def _tips(tips: Tips) -> dict[str, str | int]:
    measure = tips.measure
    return {
        "head_sha": tips.head_sha,
        "base_sha": tips.base_sha,
        "commits": measure.commits,
        "additions": measure.additions,
        "deletions": measure.deletions,
        "changed_files": measure.changed_files,
        "mergeable": measure.mergeable,
    }


async def move(act: Act, repository: Repository, pull: Pull, tips: Tips) -> None:
    """Record where the branches stand now; a head that moved is told as ``synchronize``."""
    await act.tx.run("pull_move", thread=pull.thread_id, **_tips(tips))
    if tips.head_sha == pull.head_sha:
        await act.tx.run("thread_stir", id=pull.thread_id)
        return
    await act.tx.run("thread_touch", id=pull.thread_id, now=act.now)
    moved = {"before": pull.head_sha, "after": tips.head_sha}
    await announce(act, repository, pull.number, "synchronize", {**moved})


async def ready(act: Act, repository: Repository, number: int) -> Thread:
    """Say that a draft is ready for review. Raises ``RefusedError`` (403, 404)."""
    thread = await find_thread(act, repository, number)
    pull = await find_pull(act, thread)
    if thread.author.id != act.actor.id:
        await require(act, repository, Role.WRITE)
    if not pull.draft:
        return thread
    await act.tx.run("pull_ready", thread=thread.id)
    await record(act, repository, thread, "ready_for_review")
    return await announce(act, repository, number, "ready_for_review")


async def check_mergeable(act: Act, repository: Repository, number: int, expected_head: str | None) -> Pull:
    """
    Return the pull request if it may be merged by the actor now.

    Raises ``RefusedError``: 403, 404, 405 when its state forbids it, 409 when its head is not the expected one.
    """
    await require(act, repository, Role.WRITE)
    thread = await find_thread(act, repository, number)
    pull = await find_pull(act, thread)
    if not thread.open:
        raise RefusedError(405, "Pull Request is not mergeable")
    if pull.draft:
        raise RefusedError(405, "Pull Request is still a draft")
    if expected_head is not None and expected_head != pull.head_sha:
        raise RefusedError(409, "Head branch was modified. Review and try the merge again.")
    return pull


async def merged(act: Act, repository: Repository, pull: Pull, sha: str) -> Thread:
    """
    Record a merge that git has made: ``merged``, then ``closed``.

    Issues that the pull request says it closes are closed too when the base is the default branch.
    """
    await act.tx.run("pull_merged", thread=pull.thread_id, now=act.now, by=act.actor.id, sha=sha)
    thread = await find_thread(act, repository, pull.number)
    await record(act, repository, thread, "merged", commit=sha)
    closed = await threads.close(act, repository, pull.number, commit=sha)
    if pull.base_ref == repository.default_branch:
        for number in closed_numbers(thread.body or ""):
            if await _is_open_issue(act, repository, number):
                await threads.close(act, repository, number)
    return closed


async def _is_open_issue(act: Act, repository: Repository, number: int) -> bool:
    row = await act.tx.one("thread_by_number", repository=repository.id, number=number)
    return row is not None and row["state"] == "open" and not row["pull"]


async def open_pulls(act: Act, repository: Repository) -> tuple[Pull, ...]:
    """Return the open pull requests."""
    return tuple(rows.pull(row) for row in await act.tx.all("pulls_open", repository=repository.id))


@dataclass(frozen=True, kw_only=True)
class PullFilter:
    """Which pull requests of a repository: by state, by branches, and in which order."""

    state: str = "open"
    head: str | None = None
    base: str | None = None
    sort: str = "created"
    descending: bool = True


async def pulls_of(act: Act, repository: Repository, wanted: PullFilter, window: Window) -> Listed[Pull]:
    """Return pull requests."""
    found = await act.tx.all(
        "pulls_list",
        repository=repository.id,
        state=wanted.state,
        head=wanted.head,
        base=wanted.base,
        sort=wanted.sort,
        descending=wanted.descending,
        limit=window.limit,
        offset=window.offset,
    )
    return rows.listed(found, rows.pull)
