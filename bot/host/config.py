"""Configuration: one TOML file, and secrets from the environment only; validated whole before anything starts."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args
from urllib.parse import parse_qs, unquote, urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails

from bot.domain.admission import Limits
from bot.domain.brake import Brakes
from bot.domain.budget import Budget, Per, Period, whole
from bot.errors import ConfigError
from bot.host.budgets import OperatorBudgets
from bot.host.scope_limits import narrowing
from bot.playbook.cross import suggestion
from bot.playbook.duration import EXPECTED, parse_duration
from bot.playbook.words import Amount, Unit

GITHUB = "https://api.github.com"
TOKEN = "TRACKSIDE_TOKEN"  # noqa: S105 - the name of a variable
SECRETS = "TRACKSIDE_WEBHOOK_SECRETS"
DATABASE = "TRACKSIDE_DATABASE_URL"
EVERYWHERE = "*"
"""What stands for every repository where scopes are named."""
OWN = "TRACKSIDE_"
"""How the names of variables begin that are the bot's own."""

_SECRET_KEYS = frozenset({"token", "secret", "secrets", "webhook_secret", "webhook_secrets", "password"})
_WRITTEN = "written by a person"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXPECTED = {
    "int_type": "a whole number",
    "string_type": "text",
    "path_type": "a path",
    "tuple_type": "a list",
    "model_type": "a table of keys",
}


def _milliseconds(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        return parse_duration(value)
    if info.context == _WRITTEN:
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


Duration = Annotated[int, BeforeValidator(_milliseconds), Field(gt=0)]
Count = Annotated[int, Field(ge=1, strict=True)]
Variable = Annotated[str, AfterValidator(_variable)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Server(_Section):
    """Where the bot listens. Beyond loopback, put it behind a proxy that speaks TLS."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, strict=True)] = 8000


class Database(_Section):
    """
    The database. Without a URL it is a file in the data directory; several hosts share one by its URL.

    The URL is kept like a secret: the one that comes from the environment may hold a password.
    """

    url: Annotated[SecretStr, AfterValidator(_database)] = SecretStr("")

    @property
    def password(self) -> str:
        """The password in the URL, empty when there is none."""
        return _password(self.url.get_secret_value())


class TrackerSettings(_Section):
    """The issue tracker's API."""

    url: Annotated[str, AfterValidator(_url)] = GITHUB


class Settings(_Section):
    """
    How much runs at once and how long things take. Durations are written as ``90s``, ``5m``, ``1h``.

    ``concurrency`` bounds agent turns, ``job_concurrency`` jobs. ``grace`` is what a run gets between the
    request to stop and the end. ``launch_timeout`` is how long a launch may take without any progress.
    ``budget_ceiling`` is how far people may raise the budget of one issue, by unit.
    """

    concurrency: Count = 4
    job_concurrency: Count = 4
    lease: Duration = 60_000
    timeout: Duration = 3_600_000
    launch_timeout: Duration = 600_000
    sweep: Duration = 120_000
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


class BrakeSettings(_Section):
    """What stops a Work that starts again and again without getting anywhere; a person lifts it."""

    starts: Count = 5
    window: Duration = 86_400_000
    repository_starts: Count = 200
    red_heads: Count = 3


class BudgetSettings(_Section):
    """At most ``max`` of a unit, counted together for all playbooks; ``scope`` names one owner or repository."""

    unit: Unit
    max: Amount
    per: Per = Per.WORK
    period: Period = Period.LIFE
    warn_at: Annotated[float, Field(gt=0, lt=1)] | None = None
    scope: Annotated[str, AfterValidator(_scope)] | None = None

    @model_validator(mode="after")
    def _shared_by_all(self) -> BudgetSettings:
        if self.per is Per.ALL and self.scope is not None:
            raise ValueError('scope: a budget per "all" is shared by every scope; take this out, or set per = "scope"')
        return self

    @property
    def value(self) -> Budget:
        """The budget, not yet narrowed to the scope that is named."""
        return Budget(unit=self.unit, max=whole(self.max), per=self.per, period=self.period, warn_at=self.warn_at)


class ScopeSettings(_Section):
    """What is set for one owner or repository: how many runs of it, of every pool, go on at once."""

    concurrency: Count


class Config(_Section):
    """
    Everything that the host is told.

    ``data`` is the directory of the database, the workspaces and the runs. ``playbooks`` are files or
    directories; empty means the built-in ones. ``scopes`` are owners and repositories by their names in lower case.
    ``environment`` names the variables of the bot's own environment that runs get, by such a name or ``*``.
    """

    data: Path
    repositories: Annotated[tuple[Annotated[str, AfterValidator(_repository)], ...], AfterValidator(_some)]
    playbooks: tuple[Path, ...] = ()
    server: Server = Server()
    database: Database = Database()
    tracker: TrackerSettings = TrackerSettings()
    settings: Settings = Settings()
    brakes: BrakeSettings = BrakeSettings()
    budgets: tuple[BudgetSettings, ...] = ()
    scopes: Mapping[Annotated[str, AfterValidator(_scope)], ScopeSettings] = {}
    environment: Mapping[Annotated[str, AfterValidator(_scope_or_all)], tuple[Variable, ...]] = {}
    token: SecretStr
    secrets: tuple[SecretStr, ...] = ()

    @property
    def hidden(self) -> frozenset[str]:
        """What is never shown: the token, the webhook's secrets, and the database's password."""
        own = (secret.get_secret_value() for secret in (self.token, *self.secrets))
        return frozenset(filter(None, (*own, self.database.password)))

    @property
    def limits(self) -> Limits:
        """The capacity limits."""
        return Limits(
            default=self.settings.concurrency,
            pools=(("agents", self.settings.concurrency), ("jobs", self.settings.job_concurrency)),
        )

    @property
    def scope_limits(self) -> Mapping[str, int]:
        """The limits of owners and repositories that narrow what the settings allow (C-153), by name."""
        return narrowing({name: each.concurrency for name, each in self.scopes.items()}, self.settings.concurrency)

    @property
    def strange_scopes(self) -> list[tuple[str, str]]:
        """The keys of budgets whose scope is none that the bot serves, with that: they would cap nothing, unseen."""
        names = {name.lower() for name in self.repositories}
        known = names | {name.partition("/")[0] for name in names}
        scopes = ((f"budgets.{index}.scope", entry.scope) for index, entry in enumerate(self.budgets))
        return [(where, scope) for where, scope in scopes if scope is not None and scope not in known]

    @property
    def operator_budgets(self) -> OperatorBudgets:
        """The budgets of the operator."""
        scoped: dict[str, tuple[Budget, ...]] = {}
        for entry in self.budgets:
            if entry.scope is not None:
                scoped[entry.scope] = (*scoped.get(entry.scope, ()), entry.value)
        return OperatorBudgets(
            everywhere=tuple(entry.value for entry in self.budgets if entry.scope is None),
            scoped=scoped,
            ceiling={unit: whole(amount) for unit, amount in self.settings.budget_ceiling.items()},
        )

    @property
    def brake_limits(self) -> Brakes:
        """The limits of the brakes."""
        return Brakes(**self.brakes.model_dump())


def load_config(path: Path, environment: Mapping[str, str] = os.environ) -> Config:
    """
    Read the configuration. Relative paths are relative to the file.

    Raises ``ConfigError`` that names each key that is wrong, and what was expected.
    """
    document = _read(path)
    token = environment.get(TOKEN, "").strip()
    if not token:
        raise ConfigError(f"{TOKEN} is not set: it holds the token by which the bot acts on the tracker")
    document["token"] = token
    document["secrets"] = [found for entry in environment.get(SECRETS, "").split(",") if (found := entry.strip())]
    _name_database(document, path, environment)
    try:
        config = Config.model_validate(document, context=_WRITTEN)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise ConfigError("\n".join(f"{path}: {_say(fault)}" for fault in faults)) from None
    if unset := sorted({name for names in config.environment.values() for name in names} - environment.keys()):
        raise ConfigError(f"{path}: environment: not set where the bot was started: {', '.join(unset)}")
    if strange := config.strange_scopes:
        where, name = strange[0]
        raise ConfigError(f"{path}: {where}: {name!r} is neither one of the repositories nor an owner of one")
    base = path.resolve().parent
    return config.model_copy(
        update={
            "data": base / config.data,
            "playbooks": tuple(base / entry for entry in config.playbooks),
        }
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; name another file with --config") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from error
    for key in _secret_keys(document):
        raise ConfigError(f"{path}: {key}: secrets do not belong in a file; set {TOKEN} and {SECRETS} instead")
    return document


def _name_database(document: dict[str, Any], path: Path, environment: Mapping[str, str]) -> None:
    """Put the database that the environment names into the document. One that the file names has no password."""
    section = document.get("database", {})
    if isinstance(section, dict) and isinstance(section.get("url"), str) and _password(section["url"]):
        message = f"a password does not belong in a file; set PGPASSFILE, PGPASSWORD or {DATABASE} instead"
        raise ConfigError(f"{path}: database.url: {message}")
    if isinstance(section, dict) and (url := environment.get(DATABASE, "").strip()):
        document["database"] = {**section, "url": url}


def _password(url: str) -> str:
    """Return the password in a URL: beside the user, or among the parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return unquote(parts.password or "") or parse_qs(parts.query).get("password", [""])[0]


def _secret_keys(document: Mapping[str, object], section: str = "") -> Iterator[str]:
    for key, value in document.items():
        if key in _SECRET_KEYS:
            yield section + key
        elif isinstance(value, dict):
            yield from _secret_keys(value, f"{section}{key}.")


def _say(fault: ErrorDetails) -> str:
    where = ".".join(map(str, fault["loc"]))
    if fault["type"] in _EXPECTED:
        return f"{where}: expected {_EXPECTED[fault['type']]}"
    match fault["type"]:
        case "missing":
            return f"{where}: is missing"
        case "extra_forbidden":
            return f"{where}: unknown key{suggestion(str(fault['loc'][-1]), _known_keys(fault['loc'][:-1]))}"
        case "value_error":
            return f"{where}: {fault['ctx']['error']}"
    return f"{where}: {fault['msg']}"


def _known_keys(section: tuple[int | str, ...]) -> list[str]:
    model: Any = Config
    for part in section:
        if hasattr(model, "model_fields"):
            model = model.model_fields[part].annotation
        else:
            # In a list or a table of such sections, each entry is of the kind that is named last.
            model = next(each for each in reversed(get_args(model)) if each is not ...)
    return [key for key in model.model_fields if key not in _SECRET_KEYS]
