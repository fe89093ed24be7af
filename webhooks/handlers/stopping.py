"""``/stop``: what runs is interrupted, and nothing starts again until a person releases it."""

from __future__ import annotations

from bot.scheduler.holds import place_operator_hold
from bot.scheduler.interrupt import interrupt
from bot.views.reply import Reply, ReplyCode
from webhooks.handlers.acts import Act


def stop(act: Act) -> Reply | None:
    """Interrupt every run of the thread and hold its Work, also where nothing runs now."""
    if forbidden := act.forbidden():
        return forbidden
    works = act.works()
    if not works:
        return Reply(code=ReplyCode.NOTHING_LIVE, login=act.login)
    reason = act.command.argument or "stopped by command"
    for index, work in enumerate(works):
        seq = act.prepared.said.seq
        stopped = interrupt(act.tx, work.id, by=act.login, reason=reason, seq=seq, now=act.now)
        place_operator_hold(
            act.tx,
            work if stopped is None else stopped.work,
            hold=act.fresh_hold(index),
            holder=act.login,
            reason=reason,
            event=act.fresh_event(index),
            now=act.now,
        )
    return None
