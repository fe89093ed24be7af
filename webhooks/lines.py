"""
Comments on lines: part of what a review says, and read as its data.

Also one that stands alone belongs to a review of its own, so that there is one rule: words of allowed people are
input, wherever they are written. Commands are carried out from comments and the text of reviews only; in a comment on
a line one is answered, and never passed over in silence (gh-P-07).
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.errors import TrackerMissingError
from bot.storage.contract import Tx
from bot.trackers.contract import LineComment
from bot.views.markers import is_marked
from bot.views.reply import Reply, ReplyCode
from webhooks.answers import reply_note, throttle
from webhooks.commands import Command, parse
from webhooks.desk import Desk
from webhooks.facts import ReviewFact
from webhooks.history import ensure_item


async def lines_of(desk: Desk, fact: ReviewFact) -> Sequence[LineComment]:
    """Return what a review says of lines; nothing when no Work hears it, or it is gone. Raises ``TrackerError``."""
    if not await desk.store.read(lambda tx: any(tx.works.live_by_key(key) for key in fact.keys)):
        return ()
    try:
        found = await desk.tracker.line_comments(fact.repository.full_name, fact.number, fact.review_id)
    except TrackerMissingError:
        return ()
    return [line for line in found if not is_marked(line.body)]


def text_of(lines: Sequence[LineComment]) -> str:
    """Return the lines as text, each under its place."""
    return "\n\n".join(f"{_place(line)}\n\n{line.body}".strip() for line in lines)


def answer_commands(tx: Tx, fact: ReviewFact, lines: Sequence[LineComment]) -> None:
    """Tell who wrote a command on a line where commands count."""
    if any(isinstance(command, Command) for line in lines for command in parse(line.body)):
        key = ensure_item(tx, fact.repository, fact.number)
        reply = Reply(code=ReplyCode.ON_A_LINE, login=fact.author.login)
        tx.notes.add(reply_note(key, reply, source=throttle(key, reply)))


def _place(line: LineComment) -> str:
    return f"On `{line.path}`:" if line.line is None else f"On `{line.path}`, line {line.line}:"
