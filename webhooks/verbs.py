"""The verbs that people may write: one table for the grammar, for who may use them and for ``/help``."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from bot.trackers.contract import Permission


class Verb(enum.Enum):
    """A verb; the value is the word behind the slash."""

    APPROVE = "approve"
    REFUSE = "refuse"
    CANCEL = "cancel"
    RETRY = "retry"
    STOP = "stop"
    HOLD = "hold"
    RELEASE = "release"
    BUDGET = "budget"
    STATUS = "status"
    HELP = "help"


@dataclass(frozen=True, kw_only=True)
class Usage:
    """
    How a verb is written, what it does, and the least ``permission`` that it takes.

    A hold may ask for more than that from those who decide it.
    """

    form: str
    description: str
    permission: Permission


VERBS: Mapping[Verb, Usage] = {
    Verb.APPROVE: Usage(
        form="/approve [hold]",
        description="let what is held go on; name the hold when several are open",
        permission=Permission.WRITE,
    ),
    Verb.REFUSE: Usage(
        form="/refuse [hold] reason",
        description="turn down what is held, and say why",
        permission=Permission.WRITE,
    ),
    # The same that taking the trigger label off does, so it takes the same permission.
    Verb.CANCEL: Usage(
        form="/cancel [reason]",
        description="end the work here; what was done stays on its branch",
        permission=Permission.TRIAGE,
    ),
    Verb.RETRY: Usage(
        form="/retry",
        description="try again now what has failed, with all its tries",
        permission=Permission.WRITE,
    ),
    # It can be undone, so it takes no more than ending does.
    Verb.STOP: Usage(
        form="/stop [reason]",
        description="stop what runs, and hold the work until it is released",
        permission=Permission.TRIAGE,
    ),
    # A brake that whoever sees something wrong may pull; only writers may let go of it.
    Verb.HOLD: Usage(
        form="/hold reason",
        description="let nothing start until it is released; what runs goes on",
        permission=Permission.READ,
    ),
    Verb.RELEASE: Usage(
        form="/release [hold]",
        description="lift a hold of a person, a brake or a budget; name the hold when several are open",
        permission=Permission.WRITE,
    ),
    Verb.BUDGET: Usage(
        form="/budget +N unit",
        description="raise what may be used on this issue, as far as the operator allows",
        permission=Permission.MAINTAIN,
    ),
    Verb.STATUS: Usage(
        form="/status",
        description="tell where the work stands and why it is not running",
        permission=Permission.READ,
    ),
    Verb.HELP: Usage(
        form="/help",
        description="list these commands",
        permission=Permission.READ,
    ),
}
