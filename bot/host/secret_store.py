"""
The encrypted store: secrets in a file of the data directory, beneath those of the environment.

The key comes from ``TRACKSIDE_KEY``, or from the file that ``TRACKSIDE_KEY_FILE`` names, or from a file beside the
store. A key beside the store guards copies of the store only, not the directory; who wants more keeps it elsewhere.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from bot.errors import ConfigError

KEY = "TRACKSIDE_KEY"
KEY_FILE = "TRACKSIDE_KEY_FILE"
STORE = "secrets.enc"
OWN_KEY = "secrets.key"
PRIVATE = 0o600


class SecretStore:
    """The secrets of one data directory, each under the name of the variable that it stands in for."""

    def __init__(self, directory: Path, environment: Mapping[str, str] = os.environ) -> None:
        self._directory = directory
        self._environment = environment

    @property
    def path(self) -> Path:
        """The file that holds the secrets."""
        return self._directory / STORE

    def read(self) -> Mapping[str, str]:
        """
        Return what is stored, nothing when there is no store.

        Raises ``ConfigError`` when the file or the key cannot be read, when the key is another one, or when the file
        was changed by somebody else.
        """
        try:
            sealed = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be read: {error.strerror}") from error
        try:
            document = json.loads(self._cipher(make=False).decrypt(sealed))
        except (InvalidToken, ValueError):
            # Without its cause, which may hold what was decrypted.
            message = f"{self.path}: cannot be opened: the key is not the one it was made with, or the file was changed"
            raise ConfigError(
                f"{message}; set {KEY} or {KEY_FILE}, or delete it and run trackside init again"
            ) from None
        return {str(name): str(value) for name, value in document.items()}

    def keep(self, secrets: Mapping[str, str]) -> None:
        """
        Replace what is stored, as a whole: after a crash the file is the old or the new one.

        Makes a key when needed. Nothing to keep leaves no file.
        Raises ``ConfigError`` when the directory cannot be written or the key cannot be read.
        """
        try:
            if not secrets:
                self.path.unlink(missing_ok=True)
                return
            self._directory.mkdir(parents=True, exist_ok=True)
            sealed = self._cipher(make=True).encrypt(json.dumps(dict(secrets)).encode())
            self._replace(self.path, sealed)
        except OSError as error:
            raise ConfigError(f"{self._directory}: cannot be written: {error.strerror}; name another data") from error

    @property
    def key_beside(self) -> bool:
        """Whether the key lies in the same directory, for want of a better place."""
        return not self._named() and (self._directory / OWN_KEY).exists()

    def _named(self) -> str:
        return KEY if self._environment.get(KEY, "").strip() else self._environment.get(KEY_FILE, "").strip()

    def _cipher(self, *, make: bool) -> Fernet:
        own = self._directory / OWN_KEY
        if given := self._environment.get(KEY, "").strip():
            return _fernet(given.encode(), KEY)
        named = self._environment.get(KEY_FILE, "").strip()
        path = Path(named) if named else own
        if make and not named and not own.exists():
            self._replace(own, Fernet.generate_key())
        try:
            return _fernet(path.read_bytes().strip(), str(path))
        except OSError as error:
            raise ConfigError(f"{path}: the key cannot be read: {error.strerror}; set {KEY} or {KEY_FILE}") from error

    def _replace(self, path: Path, content: bytes) -> None:
        # A temporary file of this kind is private from its first moment.
        handle, name = tempfile.mkstemp(prefix=".", dir=self._directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def beneath(environment: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with what is stored beneath it; what the environment sets wins."""
    given = {name for name, value in environment.items() if value.strip()}
    return {**environment, **{name: value for name, value in stored.items() if name not in given}}


def _fernet(key: bytes, source: str) -> Fernet:
    try:
        return Fernet(key)
    except ValueError:
        raise ConfigError(f"{source}: is not a key: expected 32 bytes as URL-safe base64") from None
