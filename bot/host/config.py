"""Configuration: one TOML file, and secrets beside it; validated whole before anything starts."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from bot.domain.admission import Limits
from bot.domain.brake import Brakes
from bot.domain.budget import Budget, whole
from bot.errors import ConfigError
from bot.host.budgets import OperatorBudgets
from bot.host.identity import identify
from bot.host.scope_limits import narrowing
from bot.host.secret_store import SecretStore, beneath
from bot.host.sections import (
    TOKEN,
    WRITTEN,
    BrakeSettings,
    BudgetSettings,
    Database,
    RepositoryNames,
    ScopeName,
    ScopeOrAll,
    ScopeSettings,
    Section,
    Server,
    Settings,
    TrackerSettings,
    Variable,
    password_of,
)
from bot.playbook.cross import suggestion
from webhooks.secret import Secret, read_secret, secret_entries

SECRETS = "TRACKSIDE_WEBHOOK_SECRETS"
DATABASE = "TRACKSIDE_DATABASE_URL"

_SECRET_KEYS = frozenset({"token", "secret", "secrets", "webhook_secret", "webhook_secrets", "password", "app_key"})
_EXPECTED = {
    "int_type": "a whole number",
    "string_type": "text",
    "path_type": "a path",
    "tuple_type": "a list",
    "model_type": "a table of keys",
}


class Config(Section):
    """
    Everything that the host is told.

    ``data`` is the directory of the database, the workspaces and the runs. ``playbooks`` are files or
    directories; empty means the built-in ones. ``scopes`` are owners and repositories by their names in lower case.
    ``environment`` names the variables of the bot's own environment that runs get, by such a name or ``*``.
    """

    data: Path
    repositories: RepositoryNames
    playbooks: tuple[Path, ...] = ()
    server: Server = Server()
    database: Database = Database()
    tracker: TrackerSettings = TrackerSettings()
    settings: Settings = Settings()
    brakes: BrakeSettings = BrakeSettings()
    budgets: tuple[BudgetSettings, ...] = ()
    scopes: Mapping[ScopeName, ScopeSettings] = {}
    environment: Mapping[ScopeOrAll, tuple[Variable, ...]] = {}
    token: SecretStr = SecretStr("")
    app_key: SecretStr = SecretStr("")
    secrets: tuple[SecretStr, ...] = ()

    @property
    def hidden(self) -> frozenset[str]:
        """What is never shown: the token or the App's key, the webhook's secrets, and the database's password."""
        signing = (secret.value.decode() for secret in self.signing)
        own = (self.token.get_secret_value(), self.app_key.get_secret_value())
        return frozenset(filter(None, (*own, *signing, self.database.password)))

    @property
    def signing(self) -> tuple[Secret, ...]:
        """The webhook's secrets, each with its end."""
        return tuple(read_secret(entry.get_secret_value()) for entry in self.secrets)

    @property
    def polls(self) -> bool:
        """Whether the tracker is polled; it is where nothing else is said and no delivery could be verified."""
        return self.tracker.mode == "poll" or (self.tracker.mode == "auto" and not self.secrets)

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

    Secrets come from the environment, and what it does not set from the encrypted store in the data directory.

    Raises ``ConfigError`` that names each key that is wrong, and what was expected.
    """
    document = _read(path)
    if isinstance(data := document.get("data"), str):
        stored = SecretStore(path.resolve().parent / data, environment).read()
        environment = beneath(environment, stored)
    identify(document, path, environment)
    document["secrets"] = _secrets(environment.get(SECRETS, ""))
    _name_database(document, path, environment)
    try:
        config = Config.model_validate(document, context=WRITTEN)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise ConfigError("\n".join(f"{path}: {_say(fault)}" for fault in faults)) from None
    if unset := sorted({name for names in config.environment.values() for name in names} - environment.keys()):
        raise ConfigError(f"{path}: environment: not set where the bot was started: {', '.join(unset)}")
    if strange := config.strange_scopes:
        where, name = strange[0]
        raise ConfigError(f"{path}: {where}: {name!r} is neither one of the repositories nor an owner of one")
    if config.tracker.mode == "webhooks" and not config.secrets:
        message = f'"webhooks" needs a secret to verify deliveries by; set {SECRETS}, or use "poll"'
        raise ConfigError(f"{path}: tracker.mode: {message}")
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
    if isinstance(section, dict) and isinstance(section.get("url"), str) and password_of(section["url"]):
        message = f"a password does not belong in a file; set PGPASSFILE, PGPASSWORD or {DATABASE} instead"
        raise ConfigError(f"{path}: database.url: {message}")
    if isinstance(section, dict) and (url := environment.get(DATABASE, "").strip()):
        document["database"] = {**section, "url": url}


def _secrets(text: str) -> list[str]:
    entries = list(secret_entries(text))
    for place, entry in enumerate(entries, start=1):
        try:
            read_secret(entry)
        except ValueError as error:
            raise ConfigError(f"{SECRETS}: secret {place}: {error}") from None
    return entries


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
