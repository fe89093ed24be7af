"""The sections of the configuration file, and what their values look like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    model_validator,
)

from bot.domain.budget import Budget, Per, Period, whole
from bot.playbook.duration import EXPECTED, parse_duration
from bot.playbook.words import Amount, Unit

GITHUB = "https://api.github.com"
TOKEN = "TRACKSIDE_TOKEN"  # noqa: S105 - the name of a variable
EVERYWHERE = "*"
"""What stands for every repository where scopes are named."""
OWN = "TRACKSIDE_"
"""How the names of variables begin that are the bot's own."""
WRITTEN = "written by a person"
"""The context of validation for what a person wrote."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _milliseconds(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        return parse_duration(value)
    if info.context == WRITTEN:
        # A bare number would be taken for seconds by whoever wrote it.
        raise ValueError(f"{EXPECTED}, not {value!r}")
    return value


def _repository(value: str) -> str:
    owner, slash, name = value.partition("/")
    if not (owner and slash and name) or "/" in name:
        raise ValueError(f"expected owner/name, not {value!r}")
    return value


def _scope(value: str) -> str:
    owner, slash, name = value.partition("/")
    if not owner or bool(slash) != bool(name) or "/" in name:
        raise ValueError(f"expected owner or owner/name, not {value!r}")
    return value.lower()


def _scope_or_all(value: str) -> str:
    return value if value == EVERYWHERE else _scope(value)


def _variable(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise ValueError(f"expected the name of a variable, not {value!r}")
    if value.startswith(OWN):
        raise ValueError(f"{value} is the bot's own, and no run gets it")
    return value


def _some(value: tuple[str, ...]) -> tuple[str, ...]:
    if not value:
        raise ValueError("name at least one owner/name")
    return value


def _url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"expected a URL such as {GITHUB}, not {value!r}")
    if parts.username is not None:
        raise ValueError(f"a URL in a file must not hold a login; set {TOKEN} instead")
    return value.rstrip("/")


def _database(value: SecretStr) -> SecretStr:
    url = value.get_secret_value()
    if url and urlsplit(url).scheme not in {"postgresql", "postgres"}:
        raise ValueError("expected a URL such as postgresql://trackside@db.example/trackside")
    return value


Mode = Literal["auto", "webhooks", "poll"]
"""How the bot learns of news: the tracker delivers them, or is asked every few seconds."""
PaceName = Literal["github", "none"]
"""How fast the bot may write: as GitHub asks of everybody, or as fast as it can."""
Duration = Annotated[int, BeforeValidator(_milliseconds), Field(gt=0)]
Count = Annotated[int, Field(ge=1, strict=True)]
Variable = Annotated[str, AfterValidator(_variable)]
RepositoryName = Annotated[str, AfterValidator(_repository)]
"""``owner/name``."""
RepositoryNames = Annotated[tuple[RepositoryName, ...], AfterValidator(_some)]
ScopeName = Annotated[str, AfterValidator(_scope)]
"""``owner`` or ``owner/name``, in lower case."""
ScopeOrAll = Annotated[str, AfterValidator(_scope_or_all)]


class Section(BaseModel):
    """A table of the file. A key that it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Server(Section):
    """Where the bot listens. Beyond loopback, put it behind a proxy that speaks TLS."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, strict=True)] = 8000


class Database(Section):
    """
    The database. Without a URL it is a file in the data directory; several hosts share one by its URL.

    The URL is kept like a secret: the one that comes from the environment may hold a password.
    """

    url: Annotated[SecretStr, AfterValidator(_database)] = SecretStr("")

    @property
    def password(self) -> str:
        """The password in the URL, empty when there is none."""
        return password_of(self.url.get_secret_value())


class TrackerSettings(Section):
    """
    The issue tracker's API, and how news come from it: ``auto`` is by webhooks when there is a secret for them.

    ``app_id`` is that of the GitHub App that the bot is, 0 when it acts by a token. With ``assign`` the bot's account
    is among the assignees of an item while it works on it.
    """

    url: Annotated[str, AfterValidator(_url)] = GITHUB
    mode: Mode = "auto"
    pace: PaceName = "github"
    app_id: Annotated[int, Field(ge=0, strict=True)] = 0
    assign: Annotated[bool, Field(strict=True)] = False


class Settings(Section):
    """
    How much runs at once and how long things take. Durations are written as ``90s``, ``5m``, ``1h``.

    ``concurrency`` bounds agent turns, ``job_concurrency`` jobs. ``grace`` is what a run gets between the
    request to stop and the end. ``launch_timeout`` is how long a launch may take without any progress.
    ``sweep_calls`` bounds the calls of one sweep, and of all polling within a minute.
    ``budget_ceiling`` is how far people may raise the budget of one issue, by unit.
    """

    concurrency: Count = 4
    job_concurrency: Count = 4
    lease: Duration = 60_000
    timeout: Duration = 3_600_000
    launch_timeout: Duration = 600_000
    sweep: Duration = 120_000
    sweep_calls: Count = 40
    poll: Duration = 15_000
    grace: Duration = 10_000
    budget_ceiling: Mapping[Unit, Amount] = {}

    @model_validator(mode="after")
    def _in_proportion(self) -> Settings:
        """Refuse durations by which attempts would be given up before anything can be known of them (gh-Z-04)."""
        if self.lease >= self.timeout:
            raise ValueError("settings.lease must be shorter than settings.timeout")
        if self.launch_timeout > self.timeout and "launch_timeout" in self.model_fields_set:
            raise ValueError("settings.launch_timeout must not be longer than settings.timeout")
        return self


class BrakeSettings(Section):
    """What stops a Work that starts again and again without getting anywhere; a person lifts it."""

    starts: Count = 5
    window: Duration = 86_400_000
    repository_starts: Count = 200
    red_heads: Count = 3


class BudgetSettings(Section):
    """At most ``max`` of a unit, counted together for all playbooks; ``scope`` names one owner or repository."""

    unit: Unit
    max: Amount
    per: Per = Per.WORK
    period: Period = Period.LIFE
    warn_at: Annotated[float, Field(gt=0, lt=1)] | None = None
    scope: ScopeName | None = None

    @model_validator(mode="after")
    def _shared_by_all(self) -> BudgetSettings:
        if self.per is Per.ALL and self.scope is not None:
            raise ValueError('scope: a budget per "all" is shared by every scope; take this out, or set per = "scope"')
        return self

    @property
    def value(self) -> Budget:
        """The budget, not yet narrowed to the scope that is named."""
        return Budget(unit=self.unit, max=whole(self.max), per=self.per, period=self.period, warn_at=self.warn_at)


class ScopeSettings(Section):
    """What is set for one owner or repository: how many runs of it, of every pool, go on at once."""

    concurrency: Count


def password_of(url: str) -> str:
    """Return the password in a URL: beside the user, or among the parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return unquote(parts.password or "") or parse_qs(parts.query).get("password", [""])[0]
