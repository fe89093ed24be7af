"""
The front matter of a playbook, as values.

Rules that one section can decide alone stand here; rules between sections stand in ``cross``. Every model
refuses keys that it does not know, and values of another type, rather than guessing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from bot.clock import MINUTE
from bot.playbook import words
from bot.playbook.words import Amount, Duration

DELAY_LIMIT = 100

_Text = TypeVar("_Text", bound=str)


class Section(BaseModel):
    """A part of the front matter."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Trigger(Section):
    """
    What starts the playbook: a label put on an item, a verb in its thread, a pull request, or several of them.

    ``pull_request`` names whose pull requests start it when they are opened.
    """

    label: words.Label | None = None
    command: words.Command | None = None
    pull_request: words.PullRequests | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.label is None and self.command is None and self.pull_request is None:
            raise ValueError("needs a label, a command or a pull_request")
        return self


class Binding(Section):
    """
    What an attempt runs on.

    ``timeout`` is milliseconds per attempt; None takes the operator's default. ``sandbox`` None likewise.
    ``estimate`` is what one attempt is expected to use, by unit; the claim reserves it. Keys that are not
    named here belong to the executor: they are moved into ``config``.
    """

    executor: words.Slug
    config: Mapping[str, JsonValue] = Field(default_factory=dict)
    timeout: Duration | None = None
    # Not strict: the validator below rebuilds the mapping, so that words arrive as plain text.
    sandbox: Annotated[words.Sandbox | None, Field(strict=False)] = None
    estimate: Mapping[words.EstimatedUnit, Amount] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _gather_config(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        known = {key: value for key, value in data.items() if key in cls.model_fields}
        free = {key: value for key, value in data.items() if key not in known}
        config = known.get("config", {})
        if not free or not isinstance(config, dict):
            return known
        if twice := sorted(free.keys() & config.keys()):
            raise ValueError(f"{twice[0]!r} stands both here and under config; keep one of them")
        return {**known, "config": {**config, **free}}


class Status(Section):
    """
    What one word means when a run ends with it.

    A status may end the Work (``complete``), or let it wait for what is named in ``wait``. One that does
    neither leaves the decision to the playbook's kind (see ``bot.playbook.outcome``).
    """

    label: words.Label | None = None
    publish: words.Publish = words.Publish.NONE
    wait: tuple[words.WaitFor, ...] = ()
    complete: bool = False
    notify: bool = False
    description: Annotated[str, Field(max_length=words.DESCRIPTION_LIMIT)] = ""
    color: words.Color | None = None

    @field_validator("wait")
    @classmethod
    def _each_once(cls, value: tuple[words.WaitFor, ...]) -> tuple[words.WaitFor, ...]:
        return _distinct(value)

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if self.complete and self.wait:
            raise ValueError("has both complete and wait; a status ends the work or waits, not both")
        return self


class Gate(Section):
    """
    A decision by people that must stand before the Work starts.

    ``need`` distinct people decide, each with at least ``permission``. Where ``users`` or ``teams`` are named,
    only those people decide, whatever their permission. ``excluded`` (``not`` in the file) names roles that
    never decide.
    """

    name: words.Slug
    need: Annotated[int, Field(ge=1, le=20)] = 1
    permission: words.Permission = words.Permission.WRITE
    users: tuple[words.Login, ...] = ()
    teams: tuple[words.Team, ...] = ()
    excluded: tuple[words.Excluded, ...] = Field(default=(), alias="not")

    @field_validator("users", "teams", "excluded")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _distinct(value)

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.users and not self.teams and self.need > len(self.users):
            raise ValueError(f"needs {self.need} people but names only {len(self.users)}")
        return self


class Budget(Section):
    """
    At most ``max`` of a unit, counted together ``per`` work, scope or everything, within each ``period``.

    ``warn_at`` is the fraction of ``max`` at which people are told.
    """

    unit: words.Unit
    max: Amount
    per: words.Per = words.Per.WORK
    period: words.Period = words.Period.LIFE
    warn_at: Annotated[float, Field(gt=0, lt=1)] | None = None


class Retry(Section):
    """How long to wait after each failure, in milliseconds; n delays allow n + 1 attempts (C-107, C-109)."""

    delays: Annotated[tuple[Duration, ...], Field(max_length=DELAY_LIMIT)] = (5 * MINUTE, 10 * MINUTE)


class FrontMatter(Section):
    """
    All settings of a playbook.

    ``running`` is the status shown while an attempt is live, ``default`` that of a run that ended well
    without saying one. ``on`` is None for what only a schedule or an epic starts.
    """

    name: words.Slug
    on: Trigger | None = None
    kind: words.Kind = words.Kind.WORK_ISSUE
    running: str
    default: str
    binding: Binding
    statuses: Annotated[Mapping[words.Word, Status], Field(min_length=1, max_length=50)]
    gates: Annotated[tuple[Gate, ...], Field(max_length=10)] = ()
    budgets: Annotated[tuple[Budget, ...], Field(max_length=20)] = ()
    retry: Retry = Retry()


def _distinct(values: tuple[_Text, ...]) -> tuple[_Text, ...]:
    for index, value in enumerate(values):
        if value in values[:index]:
            raise ValueError(f"{str(value)!r} is named twice")
    return values
