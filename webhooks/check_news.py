"""What no delivery told of the pull requests of Work that waits for checks: how those ended, and that a head moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from bot.clock import Millis
from bot.domain.wait import CHECKS
from bot.domain.work import Work
from bot.errors import TrackerMissingError
from bot.storage.contract import Store, Tx
from bot.trackers.checks import Writer
from bot.trackers.contract import Reads
from webhooks.code_facts import ChecksFact
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import PullAction, PullRequestFact
from webhooks.handlers.checks import NONE, commit_of, look


@dataclass(frozen=True, kw_only=True)
class CheckNews:
    """
    What was found.

    ``ended`` are commits whose checks have ended otherwise than their Work was told, ``moved`` pull requests whose head
    is not the one that our own checks stand on, ``none`` the commits without checks, by the Work that waits for some.
    """

    ended: Sequence[ChecksFact]
    moved: Sequence[PullRequestFact]
    none: Sequence[tuple[Work, str]]


async def check_news(
    store: Store, tracker: Reads, writer: Writer, repository: RepositoryRef, works: Iterable[Work], now: Millis
) -> CheckNews:
    """Look at the pull requests whose checks are waited for. Raises ``TrackerError``."""
    facts: dict[str, ChecksFact] = {}
    moved: list[PullRequestFact] = []
    none: list[tuple[Work, str]] = []
    for work in works:
        if work.pull is None or CHECKS not in work.waits:
            continue
        try:
            pull = await tracker.pull_request(repository.full_name, work.pull)
        except TrackerMissingError:
            # Its end is told by its history; the other pull requests must be read all the same.
            continue
        head = commit_of(work, pull)
        shown = await store.read(partial(_shown_on, work.item))
        if shown and head not in shown:
            synchronize = PullAction.SYNCHRONIZE
            moved.append(PullRequestFact.of(repository, pull, action=synchronize, from_fork=pull.from_fork))
        ended = await look(tracker, writer, repository.full_name, head)
        if ended == NONE and set(work.waits) == {CHECKS} and work.marks.unchecked != head:
            none.append((work, head))
        if isinstance(ended, str) or ended.mark == work.marks.checked:
            continue
        facts[head] = ChecksFact(
            repository=repository,
            sha=head,
            branches=(work.branch,),
            delivery=f"sweep/{now}/{repository.id}/{head}",
        )
    return CheckNews(ended=list(facts.values()), moved=moved, none=none)


def _shown_on(item: str, tx: Tx) -> set[str]:
    return {each.head for each in tx.checks.of_item(item)}
