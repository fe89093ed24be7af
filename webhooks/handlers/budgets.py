"""``/budget``: raise what a Work may use, within what the operator allows."""

from __future__ import annotations

import re

from bot.domain.budget import shown, whole
from bot.domain.hold import HoldKind
from bot.domain.work import Work
from bot.scheduler.raises import RaiseAnswer, Raised, raise_budget
from bot.storage.ledgers import Raise
from bot.views.reply import Reply, ReplyCode
from webhooks.handlers.acts import Act

_AMOUNT = re.compile(r"\+\s*([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([A-Za-z][A-Za-z0-9_]{0,31})")
_GOES_ON = "it goes on by itself"


def raise_cap(act: Act) -> Reply | None:
    """Raise the budget of the thread's Work: of what a budget holds, else of all that has such a budget."""
    if forbidden := act.forbidden():
        return forbidden
    asked = _AMOUNT.fullmatch(act.command.argument)
    amount = 0 if asked is None else whole(float(asked[1]))
    if asked is None or not amount:
        return _not_raised(act, "say by how much, such as +5 usd")
    works = act.works()
    if not works:
        return Reply(code=ReplyCode.NOTHING_LIVE, login=act.login)
    held = [work for work in works if any(hold.kind is HoldKind.BUDGET for hold in act.tx.holds.open(work.id))]
    unit = asked[2].lower()
    answers = [(work, _raise(act, work, unit, amount, index)) for index, work in enumerate(held or works)]
    done = [(work, answer) for work, answer in answers if answer.raised is Raised.DONE]
    if not done:
        # One that could be raised but for the operator tells more than one that has no such budget.
        answer = next((each for _, each in answers if each.raised is not Raised.NO_BUDGET), answers[0][1])
        return _not_raised(act, _why(answer, unit))
    lines = [_told(work, answer, unit, held=work in held) for work, answer in done]
    act.tell(Reply(code=ReplyCode.RAISED, login=act.login, details={"text": "\n".join(lines)}))
    return None


def _raise(act: Act, work: Work, unit: str, amount: int, index: int) -> RaiseAnswer:
    entry = Raise(
        source=f"{act.source}/{work.playbook}",
        item=work.item,
        playbook=work.playbook,
        unit=unit,
        amount=amount,
        login=act.login,
        raised_at=act.now,
    )
    terms = act.prepared.explain.terms(work.playbook)
    return raise_budget(act.tx, work, entry, terms, event=act.fresh_event(index), now=act.now)


def _told(work: Work, answer: RaiseAnswer, unit: str, *, held: bool) -> str:
    line = f"{work.playbook} may use {shown(answer.cap, unit)} {unit} on this issue now"
    if not held:
        return f"{line}."
    return f"{line}; {_GOES_ON if answer.lifted else 'that is not enough yet, or another budget holds it too'}."


def _why(answer: RaiseAnswer, unit: str) -> str:
    match answer.raised:
        case Raised.OVER_CEILING:
            most, cap = shown(answer.ceiling, unit), shown(answer.cap, unit)
            return f"at most {most} {unit} are allowed here for one issue, and it has {cap}"
        case Raised.NO_CEILING:
            return f"the operator has to allow it first, by budget_ceiling for {unit} in the settings"
        case _:
            return f"there is no budget of {unit} for this issue alone"


def _not_raised(act: Act, explanation: str) -> Reply:
    return Reply(code=ReplyCode.NOT_RAISED, login=act.login, details={"explanation": explanation})
