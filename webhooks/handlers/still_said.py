"""
Whether votes are still said where they were said, asked of the tracker right before they count.

A delivery may be lost, and tells the past. So a comment that was deleted, a text that was rewritten, and a review that
was dismissed or replaced by a later one of the same person are looked for before anything is admitted (gh-A-07).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.approvals.decide import open_gate_holds
from bot.approvals.votes import standing_votes
from bot.errors import TrackerMissingError
from bot.storage.contract import Tx
from bot.trackers.contract import Review, Verdict
from webhooks.commands import Command, Unknown, parse
from webhooks.desk import Desk
from webhooks.fact_documents import from_document
from webhooks.facts import CommentFact, ReviewFact
from webhooks.handlers.taking_back import said_in, source_of, stays
from webhooks.verbs import Verb

DELETED = "the comment was deleted"
REWRITTEN = "the text was changed"
REPLACED = "the review was dismissed, or changes were requested since"

_DECISIVE = frozenset({Verdict.APPROVED, Verdict.CHANGES_REQUESTED, Verdict.DISMISSED})


@dataclass(frozen=True, kw_only=True)
class Vote:
    """A vote by its source, with the fact of what it was said in."""

    source: str
    fact: CommentFact | ReviewFact


def votes_of(tx: Tx, key: str) -> list[Vote]:
    """Return the votes that count on the open holds of the live Work of a thread."""
    works = tx.works.live_by_key(key)
    rows = [row for work in works for hold in open_gate_holds(tx, work) for row in standing_votes(tx, hold)]
    votes = []
    for row in rows:
        event = tx.events.by_natural_key(said_in(row.source)[0])
        fact = None if event is None else from_document(event.data)
        if isinstance(fact, CommentFact | ReviewFact):
            votes.append(Vote(source=row.source, fact=fact))
    return votes


async def taken_back_already(
    desk: Desk, said: str, fact: CommentFact | ReviewFact, commands: Sequence[Command | Unknown]
) -> str:
    """Return why the approvals of a comment or review that is heard of only now do not count, or nothing."""
    approvals = [
        Vote(source=source_of(said, place), fact=fact)
        for place, command in enumerate(commands)
        if isinstance(command, Command) and command.verb is Verb.APPROVE
    ]
    gone = await not_said_any_more(desk, approvals)
    return next(iter(gone.values()), "")


async def not_said_any_more(desk: Desk, votes: Iterable[Vote]) -> Mapping[str, str]:
    """
    Return the sources of those votes that are not said any more, each with why.

    Raises ``TrackerError`` when it cannot be found out; a vote that cannot be looked at must not count.
    """
    gone: dict[str, str] = {}
    reviews: dict[int, Sequence[Review]] = {}
    for vote in votes:
        fact, place = vote.fact, said_in(vote.source)[1]
        if isinstance(fact, CommentFact):
            why = await _unsaid(desk, fact, place)
        else:
            if fact.number not in reviews:
                reviews[fact.number] = await desk.tracker.reviews(fact.repository.full_name, fact.number)
            why = _not_given(fact, place, reviews[fact.number])
        if why:
            gone[vote.source] = why
    return gone


async def _unsaid(desk: Desk, fact: CommentFact, place: int) -> str:
    """Return why the vote of a comment counts no more, or nothing when it does."""
    repository = fact.repository.full_name
    try:
        comment = await desk.tracker.comment(repository, fact.comment_id)
    except TrackerMissingError:
        # The same is said of everything in a repository that the bot may not see any more.
        await desk.tracker.repository(repository)
        return DELETED
    return "" if stays(parse(fact.body), place, parse(comment.body)) else REWRITTEN


def _not_given(fact: ReviewFact, place: int, reviews: Sequence[Review]) -> str:
    """Return why the vote of a review counts no more, or nothing when it does."""
    now = next((review for review in reviews if review.id == fact.review_id), None)
    if now is None or now.verdict is Verdict.DISMISSED:
        return REPLACED
    commands = parse(fact.body)
    if commands:
        return "" if stays(commands, place, parse(now.body)) else REWRITTEN
    return "" if opinion(reviews, fact.author.id) is Verdict.APPROVED else REPLACED


def opinion(reviews: Iterable[Review], person: int) -> Verdict | None:
    """Return what the newest review of a person says that decides; a mere comment changes no opinion."""
    decisive = [each for each in reviews if each.author.id == person and each.verdict in _DECISIVE]
    newest = max(decisive, key=lambda each: (each.submitted_at, each.id), default=None)
    return None if newest is None else newest.verdict
