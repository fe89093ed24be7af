"""Setting a bot up with a token: the configuration is written, and the token is stored encrypted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from bot.errors import ConfigError
from bot.host.config import Config
from bot.host.secret_store import SecretStore
from bot.host.sections import GITHUB, TOKEN, WRITTEN

DATA = "data"


def set_up(
    path: Path, *, token: str, repository: str, tracker: str, force: bool, environment: Mapping[str, str]
) -> None:
    """
    Store the token beside what else is stored, and write the configuration for one repository.

    Raises ``ConfigError`` when the file is there already and ``force`` is not given, or when anything that it is told
    cannot be used or the file cannot be written; what is stored is then as before.
    """
    if path.exists() and not force:
        raise ConfigError(f"{path} is there already; trackside doctor checks it, and --force writes it anew")
    document = {"data": DATA, "repositories": [repository], "tracker": {"url": tracker}, "token": token.strip()}
    if not token.strip():
        raise ConfigError(f"there is no token; type it when asked, or set {TOKEN}")
    try:
        config = Config.model_validate(document, context=WRITTEN)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise ConfigError("; ".join(f"{fault['loc'][0]}: {fault['msg']}" for fault in faults)) from None
    lines = [f"data = {json.dumps(DATA)}", f"repositories = {json.dumps([repository])}"]
    if config.tracker.url != GITHUB:
        lines += ["", "[tracker]", f"url = {json.dumps(config.tracker.url)}"]
    store = SecretStore(path.resolve().parent / DATA, environment)
    before = store.read()
    store.keep({**before, TOKEN: token.strip()})
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        store.keep(before)
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; name another file with --config") from error
