"""Configuration: one TOML file, and secrets from the environment only; validated whole before anything starts."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from bot.domain.admission import Limits
from bot.errors import ConfigError
from bot.playbook.duration import parse_duration

TOKEN = "TRACKSIDE_TOKEN"  # noqa: S105 - the name of a variable
SECRETS = "TRACKSIDE_WEBHOOK_SECRETS"


def _milliseconds(value: object) -> object:
    return parse_duration(value) if isinstance(value, str) else value


def _repository(value: str) -> str:
    owner, slash, name = value.partition("/")
    if not (owner and slash and name) or "/" in name:
        raise ValueError(f"expected owner/name, not {value!r}")
    return value


Duration = Annotated[int, BeforeValidator(_milliseconds), Field(gt=0)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Server(_Section):
    """Where the bot listens. Beyond loopback, put it behind a proxy that speaks TLS."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000


class TrackerSettings(_Section):
    """The issue tracker's API."""

    url: str = "https://api.github.com"


class Settings(_Section):
    """
    How much runs at once and how long things take. Durations are written as ``90s``, ``5m``, ``1h``.

    ``concurrency`` bounds agent turns, ``job_concurrency`` jobs. ``grace`` is what a run gets between the
    request to stop and the end.
    """

    concurrency: Annotated[int, Field(ge=1)] = 4
    job_concurrency: Annotated[int, Field(ge=1)] = 4
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
    repositories: Annotated[tuple[Annotated[str, AfterValidator(_repository)], ...], Field(min_length=1)]
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
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}. Write one with `trackside init`.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from error
    for key in ("token", "secrets"):
        if key in document:
            raise ConfigError(f"{path}: {key}: secrets do not belong in a file; set {TOKEN} and {SECRETS} instead")
    if not environment.get(TOKEN):
        raise ConfigError(f"{TOKEN} is not set: it holds the token by which the bot acts on the tracker")
    base = path.resolve().parent
    document["token"] = environment[TOKEN]
    document["secrets"] = [entry for entry in environment.get(SECRETS, "").split(",") if entry]
    try:
        config = Config.model_validate(document)
    except ValidationError as error:
        lines = [f"{path}: {_where(fault['loc'])}: {fault['msg']}" for fault in error.errors()]
        raise ConfigError("\n".join(lines)) from error
    return config.model_copy(
        update={
            "data": base / config.data,
            "playbooks": tuple(base / entry for entry in config.playbooks),
        }
    )


def _where(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "the file"
