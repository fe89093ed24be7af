"""Looking at the file of an App's private key, when the environment names one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.host.identity import APP_KEY, APP_KEY_FILE
from bot.setup.finding import Finding, fine, warning


def key_file(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Look whether others than the bot's user may read the file; nothing is said where none is in use."""
    named = environment.get(APP_KEY_FILE, "").strip()
    if not named or environment.get(APP_KEY, "").strip():
        return
    try:
        mode = Path(named).stat().st_mode
    except OSError:
        # That it cannot be read was told with the configuration.
        return
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield warning("app key", f"others than its owner may use {named}", f"chmod 600 {named}")
    else:
        yield fine("app key", f"nobody but its owner may use {named}")
