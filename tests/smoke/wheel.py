"""
Build the wheel, unpack it away from the checkout, and try the command that it installs.

Run by ``make check``: ``python -m tests.smoke.wheel``. It finds files that were left out of the package, which
an editable install never misses.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Build and try. Raises ``CalledProcessError`` with the output of what failed."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        run([*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", place, str(ROOT)], ROOT)
        (wheel,) = directory.glob("trackside-*.whl")
        unpacked = directory / "unpacked"
        run([*pip, "install", "--no-deps", "--target", str(unpacked), str(wheel)], directory)
        command = [sys.executable, str(unpacked / "bin" / "trackside")]
        run([*command, "--help"], directory, path=unpacked)
        checked = run([*command, "playbook", "check", str(unpacked / "playbooks")], directory, path=unpacked)
        if "work-issue is fine" not in checked:
            raise SystemExit(f"the built-in playbook is missing from the wheel:\n{checked}")
        used = "import bot.host.app, bot.demo.run, bot.setup.pages as pages; "
        shown = "pages.page('problem.html', step=0, message='x', again='')"
        run([sys.executable, "-c", used + shown], directory, path=unpacked)
    sys.stdout.write("wheel: built, and its command works\n")


def run(command: list[str], directory: Path, *, path: Path | None = None) -> str:
    """Run a command away from the checkout and return its output."""
    environment = {**os.environ, "PYTHONPATH": str(path) if path else "", "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    main()
