"""
Replies to commands: one line with what happened and what would work.

``Reply.details`` may hold words of people and agents, so they pass the same door as all text from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.views.reply import Reply, ReplyCode
from projectors.inline import name
from projectors.settings import Settings
from projectors.size import COMMENT_LIMIT

_ROOM = COMMENT_LIMIT - 2_000


def reply_text(reply: Reply, settings: Settings | None = None) -> str:
    """Return the text of a reply, without its mark."""
    return _TEXTS[reply.code](_Said(reply, settings or Settings()))


class _Said:
    """A reply with what its words need."""

    def __init__(self, reply: Reply, settings: Settings) -> None:
        self.settings = settings
        self.who = name(reply.login)
        self._details = reply.details

    def line(self, key: str) -> str:
        """Return a detail as part of a line."""
        return self.settings.safe.line(self._details.get(key, "")).rstrip(".")

    def code(self, key: str) -> str:
        """Return a detail as code."""
        return self.settings.safe.code(self._details.get(key, ""))

    def command(self, key: str) -> str:
        """Return a detail as the code of a command."""
        return self.settings.safe.code(f"/{self._details.get(key, '')}")

    def block(self, key: str) -> str:
        """Return a detail as text of its own."""
        return self.settings.safe.block(self._details.get(key, ""), limit=_ROOM)

    def detail(self, key: str) -> str:
        """Return a detail that is a word of ours."""
        return self._details.get(key, "")

    def because(self, key: str = "explanation") -> str:
        """Return a detail as the reason behind a statement."""
        detail = self.line(key)
        return f": {detail}." if detail else "."


def _not_allowed(said: _Said) -> str:
    return f"{said.who}, you may not do this{said.because()}"


def _could_not_check(said: _Said) -> str:
    return f"{said.who}, your permission could not be checked, so nothing was done. Please try again in a minute."


def _stale(said: _Said) -> str:
    anew = "The question is asked anew: read it, then decide there."
    return f"{said.who}, what this asks about has changed since, so your answer was not counted. {anew}"


def _nothing_held(said: _Said) -> str:
    return f"{said.who}, nothing waits for a decision here. `/status` tells where things stand."


def _not_asked(said: _Said) -> str:
    asked = "If it needs an approval, a comment asks for it in a moment and says what it is about: decide there."
    return f"{said.who}, this has just been started, and nothing is asked yet, so your answer was not counted. {asked}"


def _nothing_live(said: _Said) -> str:
    return f"{said.who}, nothing is running or waiting here. Add the playbook's label to start."


def _repeated(said: _Said) -> str:
    return f"{said.who}, you have decided this already; the first answer counts. Someone else must decide too."


def _too_late(said: _Said) -> str:
    cure = "`/stop` stops what runs, `/cancel` ends it."
    return f"{said.who}, your decision had taken effect before it was taken back, so nothing changed. {cure}"


def _contradiction(said: _Said) -> str:
    cure = "`/refuse reason` turns it down, `/approve` alone lets it go on."
    return f"{said.who}, {said.command('verb')} with {said.code('word')} could mean either, so nothing was done. {cure}"


def _in_code(said: _Said) -> str:
    how = "Write it without backticks, at the start of a line of its own."
    return f"{said.who}, {said.command('verb')} in backticks is text about the command, so nothing was done. {how}"


def _counted(said: _Said) -> str:
    missing = said.line("explanation")
    return (
        f"{said.who}, counted. Still needed: {missing}." if missing else f"{said.who}, counted. More people are needed."
    )


def _reason_needed(said: _Said) -> str:
    verb = said.detail("verb") or "refuse"
    what = "a hold" if verb == "hold" else "a refusal"
    return f"{said.who}, {what} needs its reason: `/{verb} the reason`."


def _several(said: _Said) -> str:
    held = said.block("explanation")
    verb = said.detail("verb") or "approve"
    return f"{said.who}, several holds are open. Name one, as in `/{verb} hold`:\n\n{held}"


def _gate_hold(said: _Said) -> str:
    cure = "`/approve` lets it start, from those who may decide; `/cancel` ends it."
    return f"{said.who}, this waits for an approval, which cannot be released. {cure}"


def _budget_hold(said: _Said) -> str:
    cure = "`/approve` allows one more start, `/cancel` ends it."
    return f"{said.who}, this waits for more budget, which there is no need to refuse. {cure}"


def _raised(said: _Said) -> str:
    return said.block("text")


def _not_raised(said: _Said) -> str:
    return f"{said.who}, the budget was not raised{said.because()}"


def _unknown_verb(said: _Said) -> str:
    meant = f"Did you mean {said.command('nearest')}? `/help` lists what there is."
    return f"{said.who}, there is no {said.command('word')}. {meant}"


def _post_new(said: _Said) -> str:
    return f"{said.who}, a command counts in a new comment only, not in an edit. Please post a new comment."


def _on_a_line(said: _Said) -> str:
    return f"{said.who}, a command on a line of a file does not count. Please post it as a comment."


def _given_up(said: _Said) -> str:
    failed = f"{said.who}, {said.line('what')} could not be handled{said.because()}"
    return f"{failed} It was tried many times, and nothing was done. Please try again."


def _already_running(said: _Said) -> str:
    return f"{said.who}, {said.code('playbook')} runs here already; the comment above shows where it stands."


def _wrong_kind(said: _Said) -> str:
    playbook, wanted, found = said.code("playbook"), said.detail("wanted"), said.detail("found")
    return f"{said.who}, {playbook} is for {wanted}, and this is {found}, so nothing was started."


def _not_retried(said: _Said) -> str:
    return f"{said.who}, there is nothing to try again{said.because()}"


def _status(said: _Said) -> str:
    return said.block("text") or "Nothing is running or waiting here."


def _help(said: _Said) -> str:
    rows = "\n".join(f"- `{command.form}`: {command.description}" for command in said.settings.commands)
    return f"Write one of these at the start of a line of its own, in a new comment:\n\n{rows or said.block('text')}"


_TEXTS: Mapping[ReplyCode, Callable[[_Said], str]] = {
    ReplyCode.NOT_ALLOWED: _not_allowed,
    ReplyCode.COULD_NOT_CHECK: _could_not_check,
    ReplyCode.STALE: _stale,
    ReplyCode.NOTHING_HELD: _nothing_held,
    ReplyCode.NOT_ASKED: _not_asked,
    ReplyCode.NOTHING_LIVE: _nothing_live,
    ReplyCode.REPEATED: _repeated,
    ReplyCode.TOO_LATE: _too_late,
    ReplyCode.CONTRADICTION: _contradiction,
    ReplyCode.IN_CODE: _in_code,
    ReplyCode.COUNTED: _counted,
    ReplyCode.REASON_NEEDED: _reason_needed,
    ReplyCode.SEVERAL: _several,
    ReplyCode.GATE_HOLD: _gate_hold,
    ReplyCode.BUDGET_HOLD: _budget_hold,
    ReplyCode.RAISED: _raised,
    ReplyCode.NOT_RAISED: _not_raised,
    ReplyCode.UNKNOWN_VERB: _unknown_verb,
    ReplyCode.POST_NEW: _post_new,
    ReplyCode.ON_A_LINE: _on_a_line,
    ReplyCode.GIVEN_UP: _given_up,
    ReplyCode.ALREADY_RUNNING: _already_running,
    ReplyCode.WRONG_KIND: _wrong_kind,
    ReplyCode.NOT_RETRIED: _not_retried,
    ReplyCode.STATUS: _status,
    ReplyCode.HELP: _help,
}
