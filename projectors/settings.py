"""What an installation decides about the texts and labels in its threads."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.views.labels import HOLD_PREFIX, STATE_PREFIX
from projectors.safe import Safe


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command that people may write: its ``form``, such as ``/refuse [hold] reason``, and what it does."""

    form: str
    description: str

    @property
    def verb(self) -> str:
        """The word behind the slash."""
        return self.form.split()[0].removeprefix("/")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    The choices of one installation.

    ``instance`` is the name that its comments are marked with.

    ``commands`` are all that it knows: a text offers no other. ``announce_review`` posts a comment for each head that
    is ready for review, for repositories where the pull request itself tells nobody.
    """

    safe: Safe = field(default_factory=Safe)
    instance: str = ""
    commands: tuple[Command, ...] = ()
    state_prefix: str = STATE_PREFIX
    hold_prefix: str = HOLD_PREFIX
    announce_review: bool = False

    def offers(self, verb: str) -> bool:
        """Whether a command exists here."""
        return any(command.verb == verb for command in self.commands)
