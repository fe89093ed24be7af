"""``/hold`` and ``/release``: people keep Work from starting, and let it start again."""

from __future__ import annotations

from bot.domain.hold import Hold, HoldKind
from bot.scheduler.holds import Release, place_operator_hold, release_hold
from bot.views.reply import Reply, ReplyCode
from webhooks.handlers.acts import Act, named_hold


def hold(act: Act) -> Reply | None:
    """Keep the Work of the thread from starting. What runs goes on: to stop it is another command."""
    if forbidden := act.forbidden():
        return forbidden
    reason = act.command.argument
    if not reason:
        return Reply(code=ReplyCode.REASON_NEEDED, login=act.login, details={"verb": "hold"})
    works = act.works()
    if not works:
        return Reply(code=ReplyCode.NOTHING_LIVE, login=act.login)
    for index, work in enumerate(works):
        place_operator_hold(
            act.tx,
            work,
            hold=act.fresh_hold(index),
            holder=act.login,
            reason=reason,
            event=act.fresh_event(index),
            now=act.now,
        )
    return None


def release(act: Act) -> Reply | None:
    """Lift the one hold that a person may lift, or the one that is named; that of a gate never (C-192)."""
    if forbidden := act.forbidden():
        return forbidden
    named, reason = named_hold(act.command.argument)
    held = [each for work in act.works() for each in act.tx.holds.open(work.id) if named in {None, each.id}]
    found = [each for each in held if each.kind is not HoldKind.GATE]
    if not found:
        code = ReplyCode.GATE_HOLD if held else ReplyCode.NOTHING_HELD
        return Reply(code=code, login=act.login)
    # Who names one has read of it.
    meant = found if named else [each for each in found if act.knew_of(each)]
    if not meant:
        return Reply(code=ReplyCode.STALE, login=act.login)
    if len(meant) > 1:
        details = {"explanation": "\n".join(map(_listed, meant)), "verb": "release"}
        return Reply(code=ReplyCode.SEVERAL, login=act.login, details=details)
    release_hold(act.tx, Release(hold=meant[0].id, by=act.login, reason=reason, event=act.event), act.now)
    return None


def _listed(found: Hold) -> str:
    return f"- `{found.id}`: {found.reason}"
