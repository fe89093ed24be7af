"""Setting a bot up with a token: the configuration is written, and the token is stored encrypted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from bot.errors import ConfigError
from bot.host.config import Config
from bot.host.identity import APP_KEY
from bot.host.sections import TOKEN, WRITTEN
from bot.setup.write import DATA, lines_of, store_beside, write


def set_up(
    path: Path, *, token: str, repository: str, tracker: str, force: bool, environment: Mapping[str, str]
) -> None:
    """
    Store the token beside what else is stored, and write the configuration for one repository.

    The key of an App is taken out of the store: a bot is one account or one App.

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
    kept = {name: value for name, value in store_beside(path, environment).read().items() if name != APP_KEY}
    text = lines_of([repository], {"url": config.tracker.url})
    write(path, text, {**kept, TOKEN: token.strip()}, environment)
