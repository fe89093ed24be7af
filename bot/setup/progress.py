"""
An App that was made, while its setting up is not finished.

Its key is told once, so it is kept, encrypted, from the first moment; an interrupted run goes on from there. What the
bot runs by is not touched before the end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from bot.host.secret_store import SecretStore

UNFINISHED = "TRACKSIDE_UNFINISHED_APP"
"""The name in the encrypted store."""


@dataclass(frozen=True, kw_only=True)
class NewApp:
    """An App; ``page`` is its page at the tracker's site, ``hook`` is empty where it is told nothing."""

    id: int
    slug: str
    page: str
    tracker: str
    hook: str
    key: str = field(repr=False)
    webhook_secret: str = field(repr=False)


def unfinished(store: SecretStore) -> NewApp | None:
    """
    Return the App of an interrupted run, None where there is none that this version can go on with.

    Raises ``ConfigError`` when the store cannot be opened.
    """
    text = store.read().get(UNFINISHED)
    try:
        return None if text is None else NewApp(**json.loads(text))
    except (ValueError, TypeError):
        return None


def keep(store: SecretStore, app: NewApp) -> None:
    """Keep the App beside what else is stored. Raises ``ConfigError`` when that cannot be written."""
    store.keep({**store.read(), UNFINISHED: json.dumps(asdict(app))})


def forget(store: SecretStore) -> None:
    """Forget what an interrupted run left."""
    store.keep(without(store.read()))


def without(secrets: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets without what an interrupted run left."""
    return {name: value for name, value in secrets.items() if name != UNFINISHED}
