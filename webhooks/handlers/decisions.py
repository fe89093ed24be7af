"""
``/approve`` and ``/refuse``: who may is the hold's own question, and asked before anything else.

That of a budget is approved for one start, by whoever may write; it is never refused, since to end the Work is enough.
"""

from __future__ import annotations

from bot.approvals.decide import Answer, Decided, Vote, decide, open_gate_holds
from bot.approvals.decide import Verb as Decision
from bot.approvals.votes import revoke
from bot.clock import Millis
from bot.domain.hold import Hold, HoldKind
from bot.domain.work import Work, WorkState
from bot.scheduler.holds import Release, release_hold
from bot.storage.contract import Tx
from bot.views.reply import Reply, ReplyCode
from webhooks.handlers.acts import SKEW, Act, named_hold
from webhooks.verbs import Verb

_REPLIES = {
    Answer.STALE: ReplyCode.STALE,
    Answer.NOT_ALLOWED: ReplyCode.NOT_ALLOWED,
    Answer.NOT_CHECKED: ReplyCode.COULD_NOT_CHECK,
    Answer.REPEATED: ReplyCode.REPEATED,
    Answer.REASON_NEEDED: ReplyCode.REASON_NEEDED,
}
"""The answers that end in a reply; all others are told by a reaction and the sticky comment."""


_OPPOSITES = frozenset(
    {"deny", "denied", "reject", "rejected", "refuse", "refused", "decline", "declined", "no", "not", "never", "false"}
)


def decide_hold(act: Act) -> Reply | None:
    """Decide on the open hold of the thread, or the one that is named."""
    said = act.prepared.said
    named, reason = named_hold(act.command.argument)
    if not said.commit and (contradiction := _contradiction(act, reason)):
        return contradiction
    # A review is about the change alone: what waits in the thread of an issue is not decided by it.
    works = [work for work in act.works() if not said.commit or work.item == act.key]
    held = [(work, hold) for work in works for hold in _decidable(act.tx, work) if named in {None, hold.id}]
    if not held:
        # A decision is bound to what was asked about; one that came before the question is bound to nothing.
        early = named is None and any(_fresh(act.tx, work) for work in act.works())
        return Reply(code=ReplyCode.NOT_ASKED if early else ReplyCode.NOTHING_HELD, login=act.login)
    if len(held) > 1:
        several = ", ".join(f"`{hold.id}`" for _, hold in held)
        return Reply(code=ReplyCode.SEVERAL, login=act.login, details={"explanation": several})
    work, hold = held[0]
    if hold.kind is HoldKind.BUDGET:
        return _one_more_start(act, hold, reason)
    current = act.prepared.texts.get(work.number)
    if current is None:
        # It was asked only after this was said, and while this was read.
        return Reply(code=ReplyCode.STALE, login=act.login)
    for source, why in act.prepared.gone.items():
        revoke(act.tx, source, reason=why, now=act.now)
    vote = Vote(
        source=act.source,
        seq=said.seq,
        said_by=Millis(said.at + SKEW),
        voter=act.voter,
        verb=Decision(act.command.verb.value),
        reason=reason,
        current=current,
        commit=said.commit,
        hold=act.prepared.hold,
        event=act.event,
    )
    return _reply(act.login, decide(act.tx, work, hold, vote, act.now))


def _fresh(tx: Tx, work: Work) -> bool:
    """Whether a Work has just been opened: nobody was asked anything about it yet."""
    unasked = work.gate_pass is None and not tx.holds.of_work(work.id)
    return unasked and work.state is WorkState.READY and work.attempts == 0


def _contradiction(act: Act, reason: str) -> Reply | None:
    """Return the reply to an approval whose next word says the opposite (ag-E18)."""
    word = reason.partition(" ")[0].strip(".,!").lower()
    if act.command.verb is not Verb.APPROVE or word not in _OPPOSITES:
        return None
    details = {"verb": act.command.verb.value, "word": word}
    return Reply(code=ReplyCode.CONTRADICTION, login=act.login, details=details)


def _decidable(tx: Tx, work: Work) -> list[Hold]:
    return [*open_gate_holds(tx, work), *(hold for hold in tx.holds.open(work.id) if hold.kind is HoldKind.BUDGET)]


def _one_more_start(act: Act, hold: Hold, reason: str) -> Reply | None:
    if forbidden := act.forbidden():
        return forbidden
    if act.command.verb is not Verb.APPROVE:
        return Reply(code=ReplyCode.BUDGET_HOLD, login=act.login)
    if not act.knew_of(hold):
        return Reply(code=ReplyCode.STALE, login=act.login)
    release_hold(act.tx, Release(hold=hold.id, by=act.login, reason=reason, event=act.event), act.now)
    return None


def _reply(login: str, decided: Decided) -> Reply | None:
    code = _REPLIES.get(decided.answer)
    return None if code is None else Reply(code=code, login=login, details={"explanation": decided.explanation})
