"""Whom the bot acts as on the tracker: an account by its token, or an App by its id and its private key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bot.errors import ConfigError
from bot.host.sections import TOKEN

APP_KEY = "TRACKSIDE_APP_KEY"
APP_KEY_FILE = "TRACKSIDE_APP_KEY_FILE"


def identify(document: dict[str, Any], path: Path, environment: Mapping[str, str]) -> None:
    """
    Put the secret of the one identity into the document of a file.

    Raises ``ConfigError`` when there is none or more than one, or when the key of an App cannot be used; nothing of
    it is in the message.
    """
    token, (key, source) = environment.get(TOKEN, "").strip(), _key(environment)
    tracker = document.get("tracker")
    is_app = isinstance(tracker, dict) and bool(tracker.get("app_id"))
    if token and (key or is_app):
        second = f"{path} has tracker.app_id" if is_app else f"{source} is set too"
        raise ConfigError(f"{TOKEN} is set, and {second}: the bot is one account or one App; take out either")
    if is_app and not key:
        message = f"{path}: tracker.app_id: the App's private key is missing"
        raise ConfigError(f"{message}; set {APP_KEY} to it, or {APP_KEY_FILE} to the path of its file")
    if key and not is_app:
        raise ConfigError(f"{path}: tracker.app_id: is missing; {source} holds the private key of an App, set its id")
    if not token and not key:
        message = f"{TOKEN} is not set: it holds the token by which the bot acts on the tracker"
        raise ConfigError(f"{message}; set it, or run trackside init")
    if key:
        _check(key, source)
    document["token"], document["app_key"] = token, key


def _key(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the key of an App, empty when there is none, and where it came from."""
    if text := environment.get(APP_KEY, "").strip():
        # Where a variable has one line only, line ends are written as two characters.
        return text.replace("\\n", "\n"), APP_KEY
    named = environment.get(APP_KEY_FILE, "").strip()
    if not named:
        return "", APP_KEY
    try:
        return Path(named).read_text(encoding="ascii").strip(), APP_KEY_FILE
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ConfigError(f"{APP_KEY_FILE}: {named} cannot be read: {reason}; name the App's private key") from None


def _check(key: str, source: str) -> None:
    try:
        found = load_pem_private_key(key.encode(), password=None, unsafe_skip_rsa_key_validation=True)
        usable = isinstance(found, RSAPrivateKey)
    except (ValueError, TypeError):
        usable = False
    if not usable:
        message = f"{source}: is not the private key of an App: expected RSA in PEM, without a password"
        raise ConfigError(f"{message}; make a new one in the App's settings")
