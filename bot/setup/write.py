"""Writing a configuration and its secrets: both are there in the end, or neither is changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bot.errors import ConfigError
from bot.host.secret_store import SecretStore
from bot.host.sections import GITHUB

DATA = "data"
"""The data directory, beside the configuration."""


def store_beside(path: Path, environment: Mapping[str, str]) -> SecretStore:
    """Return the store that a configuration at ``path`` will find."""
    return SecretStore(path.resolve().parent / DATA, environment)


def lines_of(repositories: Sequence[str], tracker: Mapping[str, str | int]) -> str:
    """Return the text of a configuration; what is the default in ``tracker`` is left out."""
    lines = [f"data = {json.dumps(DATA)}", f"repositories = {json.dumps(list(repositories))}"]
    said = {key: value for key, value in tracker.items() if (key, value) != ("url", GITHUB)}
    if said:
        lines += ["", "[tracker]", *(f"{key} = {json.dumps(value)}" for key, value in said.items())]
    return "\n".join(lines) + "\n"


def write(path: Path, text: str, secrets: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """
    Replace what is stored by ``secrets``, and write the file.

    Raises ``ConfigError`` when either cannot be written; what is stored is then as before.
    """
    store = store_beside(path, environment)
    before = store.read()
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        store.keep(secrets)
        fresh.replace(path)
    except OSError as error:
        store.keep(before)
        message = f"{path}: cannot be written: {error.strerror}; name another file with --config"
        raise ConfigError(message) from error
    finally:
        with suppress(OSError):
            fresh.unlink()
