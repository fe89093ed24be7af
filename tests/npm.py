"""
Packages of the npm registry that tests read: GitHub's own descriptions and examples.

Each is installed once into the virtual environment, whichever worker comes first; nothing of it runs.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

OPENAPI = "@octokit/openapi@23.0.2"
EXAMPLES = "@octokit/webhooks-examples@7.6.1"

_PLACE = Path(sys.prefix) / "npm"
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
"""Those that the machine trusts; npm knows only its own, and a network may have more."""
_SECONDS = 300


def package(wanted: str) -> Path:
    """
    Return the directory of a package, such as ``@octokit/openapi@23.0.2``, installing it when it is missing.

    Without npm the test is skipped, and fails where nothing may be skipped.
    """
    name, _, _ = wanted.rpartition("@")
    place = _PLACE / wanted.replace("/", "-").removeprefix("@")
    inside = place / "node_modules" / name
    _PLACE.mkdir(exist_ok=True)
    with (_PLACE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not inside.is_dir():
            _install(wanted, place)
    return inside


def _install(wanted: str, place: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing(f"{wanted} cannot be read without npm")
    fresh = place.with_name(f"{place.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    arguments = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", wanted]
    ended = subprocess.run(
        [npm, *arguments, "--prefix", str(fresh)],
        env={"NODE_EXTRA_CA_CERTS": _CERTIFICATES, **os.environ},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, f"{wanted} was not installed: {ended.stderr[-2000:]}"
    fresh.rename(place)
