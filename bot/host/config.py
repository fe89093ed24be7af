"""Configuration: one TOML file, and secrets from the environment only; validated whole before anything starts."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import ErrorDetails

from bot.domain.admission import Limits
from bot.errors import ConfigError
from bot.playbook.cross import suggestion
from bot.playbook.duration import EXPECTED, parse_duration

GITHUB = "https://api.github.com"
TOKEN = "TRACKSIDE_TOKEN"  # noqa: S105 - the name of a variable
SECRETS = "TRACKSIDE_WEBHOOK_SECRETS"

_SECRET_KEYS = frozenset({"token", "secret", "secrets", "webhook_secret", "webhook_secrets", "password"})
_WRITTEN = "written by a person"
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


Duration = Annotated[int, BeforeValidator(_milliseconds), Field(gt=0)]
Count = Annotated[int, Field(ge=1, strict=True)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Server(_Section):
    """Where the bot listens. Beyond loopback, put it behind a proxy that speaks TLS."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, strict=True)] = 8000


class TrackerSettings(_Section):
    """The issue tracker's API."""

    url: Annotated[str, AfterValidator(_url)] = GITHUB


class Settings(_Section):
    """
    How much runs at once and how long things take. Durations are written as ``90s``, ``5m``, ``1h``.

    ``concurrency`` bounds agent turns, ``job_concurrency`` jobs. ``grace`` is what a run gets between the
    request to stop and the end.
    """

    concurrency: Count = 4
    job_concurrency: Count = 4
    lease: Duration = 60_000
    timeout: Duration = 3_600_000
    sweep: Duration = 120_000
    grace: Duration = 10_000


class Config(_Section):
    """
    Everything that the host is told.

    ``data`` is the directory of the database, the workspaces and the runs. ``playbooks`` are files or
    directories; empty means the built-in ones.
    """

    data: Path
    repositories: Annotated[tuple[Annotated[str, AfterValidator(_repository)], ...], AfterValidator(_some)]
    playbooks: tuple[Path, ...] = ()
    server: Server = Server()
    tracker: TrackerSettings = TrackerSettings()
    settings: Settings = Settings()
    token: SecretStr
    secrets: tuple[SecretStr, ...] = ()

    @property
    def limits(self) -> Limits:
        """The capacity limits."""
        return Limits(
            default=self.settings.concurrency,
            pools=(("agents", self.settings.concurrency), ("jobs", self.settings.job_concurrency)),
        )


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
    try:
        config = Config.model_validate(document, context=_WRITTEN)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise ConfigError("\n".join(f"{path}: {_say(fault)}" for fault in faults)) from None
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
        model = model.model_fields[part].annotation
    return [key for key in model.model_fields if key not in _SECRET_KEYS]
