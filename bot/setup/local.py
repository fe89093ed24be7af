"""What the doctor looks for on this machine."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.clock import DAY, Millis
from bot.errors import ConfigError, StorageError
from bot.host.config import Config
from bot.host.reload import usable
from bot.host.secret_store import KEY, KEY_FILE, SecretStore
from bot.host.store import lacking
from bot.playbook.playbook import Playbook
from bot.setup.finding import Finding, error, fine, warning
from bot.setup.holds import kept

NETWORKED = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs"})
"""File systems on which SQLite's locks are not to be trusted."""
SOON = 7 * DAY
"""Before the end of a webhook's secret, the time in which the doctor warns of it, in milliseconds."""
_MOUNTS = Path("/proc/mounts")


def data_directory(directory: Path, mounts: Path = _MOUNTS) -> Finding:
    """Look whether the data directory can be written, or made, and lies on a local disk; nothing is made."""
    there = next(place for place in (directory.resolve(), *directory.resolve().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        text = f"{directory} cannot be written" if there == directory.resolve() else f"{directory} cannot be made"
        return error("data directory", text, f"let the bot's user write to {there}, or name another data")
    kind = file_system(directory, mounts)
    if kind in NETWORKED:
        text = f"{directory} is on {kind}, where locks of the database are not to be trusted"
        return error("data directory", text, "move it to a local disk")
    if there != directory.resolve():
        return fine("data directory", f"{directory} is not there yet; trackside serve makes it")
    return fine("data directory", f"{directory} can be written")


def file_system(directory: Path, mounts: Path) -> str:
    """Return the kind of file system that a directory is on, empty when the machine does not tell."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    place = directory.resolve()
    found = [(fields[1], fields[2]) for line in lines if len(fields := line.split()) > 2]  # noqa: PLR2004 - fstab(5)
    above = [(point, kind) for point, kind in found if place.is_relative_to(point.replace("\\040", " "))]
    # Of two on the same place the later one covers the earlier.
    return max(reversed(above), key=lambda each: len(each[0]), default=("", ""))[1]


async def database(config: Config, now: Millis) -> list[Finding]:
    """Look whether the database can be used, without bringing it up to date, and list the holds that are open in it."""
    try:
        behind = await asyncio.to_thread(lacking, config)
        if behind is None:
            return [fine("database", "there is none yet; trackside serve makes it")]
        if behind:
            return [fine("database", f"it is {behind} migrations older than this version; trackside serve upgrades it")]
        return [fine("database", "it can be used"), *await kept(config, now)]
    except (StorageError, ConfigError) as fault:
        return [error("database", str(fault), "see what it says; a database of a newer version needs that version")]


def git() -> Finding:
    """Look for git."""
    if shutil.which("git") is None:
        return error("git", "there is no git in PATH", "install git")
    return fine("git", "it is there")


def secrets(config: Config, environment: Mapping[str, str] = os.environ) -> Finding:
    """Look where the secrets are, and where the key of the encrypted store is."""
    store = SecretStore(config.data, environment)
    if not store.path.exists():
        return fine("secrets", "none are stored; all come from the environment")
    if store.key_beside:
        cure = f"keep the key elsewhere with {KEY} or {KEY_FILE} if copies of the whole directory leave the machine"
        return fine("secrets", f"stored encrypted, with the key beside them; {cure}")
    return fine("secrets", "stored encrypted, with the key elsewhere")


def webhook_secrets(config: Config, now: Millis) -> list[Finding]:
    """Look whether any of the webhook's secrets has ended, or ends soon (gh-K-10)."""
    if not config.signing:
        return [fine("webhook secret", "there is none; the bot polls the tracker")]
    cure = "put a new one before it in the list, restart the bot, then set it at the tracker"
    if not any(secret.counts(now) for secret in config.signing):
        return [error("webhook secret", "all have ended, so every delivery is refused", cure)]
    found: list[Finding] = []
    for place, secret in enumerate(config.signing, start=1):
        if not secret.counts(now):
            text = f"number {place} ended on {secret.end}, and what it signs is refused"
            found.append(warning("webhook secret", text, "take it out of the list"))
        elif secret.until is not None and secret.until - now <= SOON:
            text = f"number {place} ends on {secret.end}"
            found.append(warning("webhook secret", text, f"make sure that the tracker does not sign with it: {cure}"))
    return found or [fine("webhook secret", f"{len(config.signing)} set, and none ends soon")]


def playbooks(config: Config) -> tuple[Finding, tuple[Playbook, ...]]:
    """Look whether the playbooks can run, and return them."""
    try:
        _, found = usable(config)
    except ConfigError as fault:
        return error("playbooks", str(fault), "mend what it names; trackside playbook check says the same"), ()
    return fine("playbooks", ", ".join(found)), tuple(found.values())


def effective(config: Config) -> Iterator[Finding]:
    """Say what each key of the file is in force as, and whether somebody set it (gh-A-12)."""
    for section in ("server", "tracker", "settings", "brakes"):
        values = getattr(config, section)
        for key in type(values).model_fields:
            where = "set" if key in values.model_fields_set else "not set, the default"
            yield fine("configuration", f"{section}.{key} = {getattr(values, key)!r} ({where})")
