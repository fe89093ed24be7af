"""
Checks of a commit: input to its Work once all of them have ended.

An event of a check is a hint that something changed: which commit is the head, and what all of its checks say, is read
anew (gh-O-04, gh-O-06). Our own checks never count: they would wait for themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.clock import Millis
from bot.domain.checks import Ended
from bot.domain.event import Event, Routing
from bot.domain.wait import CHECKS
from bot.domain.work import Work
from bot.errors import TrackerMissingError
from bot.ids import EventId, HoldId, new_id
from bot.scheduler.checks import checks_ended
from bot.storage.contract import Tx
from bot.trackers.checks import Check, Maker, MakerKind, ReadChecks, Writer
from bot.trackers.contract import PullRequest
from webhooks.code_facts import ChecksFact
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.fact_documents import from_document

TYPE = f"tracker.{ChecksFact.kind.value}"
NONE = "the commit has no checks of others"
MOST_NAMED = 30
"""Failed checks that are named with their links."""
_MOST_NAME = 100
_MOST_LINK = 500
_HASH = 12


async def handle_checks(desk: Desk, event: Event, fact: ChecksFact) -> Change:
    """Tell the Work whose commit this is how its checks ended, if all have."""
    writer = desk.writer
    if _own(writer, fact):
        return unmatched("our own check")
    works, again = await desk.store.read(lambda tx: (_works(tx, fact), _told_again(tx, event, fact, writer)))
    if not works:
        return unmatched("the checks of no run's commit")
    if again:
        # Of fifty checks that end at once only the last one is worth asking about.
        return unmatched("a later delivery tells of the same commit")
    repository = fact.repository.full_name
    at_head = {work.id for work in works if await _is_head(desk, repository, work, fact.sha)}
    if not at_head:
        return unmatched("not the head of an open pull request any more")
    ended = await look(desk.tracker, writer, repository, fact.sha)
    if isinstance(ended, str):
        return unmatched(ended)
    identities = {work: (HoldId(new_id("hld")), EventId(new_id("evt"))) for work in at_head}

    def change(tx: Tx, now: Millis) -> Routed:
        live = [work for work in _works(tx, fact) if work.id in identities]
        news = [_tell(desk, tx, work, event, ended, *identities[work.id], now) for work in live]
        note = f"{len(ended.red)} failed" if ended.red else "all passed"
        return Routed(routing=Routing.ROUTED if any(news) else Routing.UNMATCHED, note=note)

    return change


async def look(tracker: ReadChecks, writer: Writer, repository: str, sha: str) -> Ended | str:
    """
    Return what the checks of a commit say together, or why they say nothing yet.

    A commit without any is none whose checks have ended: they may still come.
    """
    checks = [check for check in await tracker.checks(repository, sha) if not writer.wrote(check)]
    if not checks:
        return NONE
    running = [check for check in checks if check.conclusion is None]
    if running:
        return f"{len(running)} of {len(checks)} checks have not ended"
    red = [check for check in checks if check.conclusion is not None and not check.conclusion.green]
    return Ended(head=sha, red=[check.name for check in red], body=_body(sha, checks, red))


def _tell(
    desk: Desk, tx: Tx, work: Work, event: Event, ended: Ended, hold: HoldId, placed: EventId, now: Millis
) -> bool:
    brakes = desk.explain.terms(work.playbook).brakes
    return checks_ended(tx, work, event, ended, brakes=brakes, hold=hold, placed=placed, now=now)


def _works(tx: Tx, fact: ChecksFact) -> Sequence[Work]:
    """Return the Work whose change this is; of who only looks at it, those that wait for its checks."""
    found = {work.id: work for key in fact.keys for work in tx.works.live_by_key(key)}
    return [work for work in found.values() if work.pull_request is not None or (work.pull and CHECKS in work.waits)]


def _own(writer: Writer, fact: ChecksFact) -> bool:
    maker = None
    if fact.app is not None:
        maker = Maker(MakerKind.APP, fact.app)
    elif fact.account is not None:
        maker = Maker(MakerKind.ACCOUNT, fact.account)
    return writer.wrote(Check(id=0, name=fact.context, conclusion=None, maker=maker))


def _told_again(tx: Tx, event: Event, fact: ChecksFact, writer: Writer) -> bool:
    later = (each for key in fact.keys for each in tx.events.pending_with_key(key, TYPE, after=event.seq))
    facts = (from_document(each.data) for each in later)
    return any(isinstance(each, ChecksFact) and each.sha == fact.sha and not _own(writer, each) for each in facts)


async def _is_head(desk: Desk, repository: str, work: Work, sha: str) -> bool:
    if work.pull is None:
        return False
    try:
        pull = await desk.tracker.pull_request(repository, work.pull)
    except TrackerMissingError:
        return False
    return pull.open and commit_of(work, pull) == sha


def commit_of(work: Work, pull: PullRequest) -> str:
    """Return the commit whose checks concern a Work: the one that it looks at, or the head of what it makes."""
    return work.instructions.head or pull.head_sha


def _body(sha: str, checks: Sequence[Check], red: Sequence[Check]) -> str:
    if not red:
        return f"All {len(checks)} checks of commit {sha[:_HASH]} passed."
    lines = [f"{len(red)} of {len(checks)} checks of commit {sha[:_HASH]} failed:", ""]
    lines += [_line(check) for check in sorted(red, key=lambda check: check.name)[:MOST_NAMED]]
    if len(red) > MOST_NAMED:
        lines.append(f"- and {len(red) - MOST_NAMED} more")
    return "\n".join(lines)


def _line(check: Check) -> str:
    """Name a check. Its name and address are whatever its maker wrote, and must stay one line."""
    word = "" if check.conclusion is None else check.conclusion.value.replace("_", " ")
    name = " ".join(check.name.split())[:_MOST_NAME]
    link = "".join(check.url.split())[:_MOST_LINK]
    return f"- {name} ({word}){f': {link}' if link else ''}"
