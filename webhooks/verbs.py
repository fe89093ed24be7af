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
