"""``/retry``: what has failed is tried again now, with a fresh budget of failures."""

from __future__ import annotations

from bot.domain.event import NewEvent, Routing
from bot.domain.work import Work
from bot.ids import EventId
from bot.scheduler.retry import NotRetried, Refusal, Retried, process_retry, refusal
from bot.views.reply import Reply, ReplyCode
from webhooks.handlers.acts import Act

_WHY = {
    Refusal.ENDED: "it has ended; add the label again to start anew",
    Refusal.LIVE: "an attempt is under way",
    Refusal.WAITING: "it waits for an answer, and nothing has failed",
    Refusal.OLDER: "it has failed again since you wrote this",
    Refusal.NOT_FAILED: "nothing has failed",
}


def retry(act: Act) -> Reply | None:
    """Retry every run of the thread that failed or backs off."""
    if forbidden := act.forbidden():
        return forbidden
    works = act.works()
    if not works:
        return Reply(code=ReplyCode.NOTHING_LIVE, login=act.login)
    answers = [(work, _retry(act, work)) for work in works]
    if any(isinstance(answer, Retried) for _, answer in answers):
        return None
    said = "; ".join(
        f"{work.playbook}: {_WHY[answer.why]}" for work, answer in answers if isinstance(answer, NotRetried)
    )
    return Reply(code=ReplyCode.NOT_RETRIED, login=act.login, details={"explanation": said})


def _retry(act: Act, work: Work) -> Retried | NotRetried:
    # What was written before the failure cannot be about it, although its own event would be accepted only now.
    why = refusal(act.tx, work, act.prepared.said.seq)
    if why is not None:
        return NotRetried(why=why)
    natural_key = f"manual retry/{act.source}/{work.id}"
    event = act.tx.events.accept(
        NewEvent(
            id=EventId(natural_key),
            source="core",
            type="core.retry.requested",
            natural_key=natural_key,
            scope=work.scope,
            data={"work": work.id, "by": act.login},
        ),
        act.now,
        routing=Routing.ROUTED,
    )
    if event is None:
        return NotRetried(why=Refusal.OLDER)
    return process_retry(act.tx, work, event, act.now)
