"""
The demo's agent: a small program that needs no key, and really works.

It mends a file in its worktree, commits, and declares its turn. When a review has approved its work it is done.
An issue that says "take your time" keeps it busy until somebody stops it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

TYPO, WORD = "wrold", "world"
COST = 0.01


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Take one turn in the current directory. Returns an exit code."""
    prompt = Path(environment["TRACKSIDE_PROMPT"]).read_text(encoding="utf-8")
    previous = json.loads(Path(environment["TRACKSIDE_PREVIOUS"]).read_text(encoding="utf-8"))
    if previous.get("status") == "review" and " approved commit " in prompt:
        return _turn("done", "The review approved the change; there is nothing left to do.")
    if "take your time" in prompt.lower():
        return subprocess.run(["sleep", "3600"], check=False).returncode  # noqa: S607 - the system's own sleep
    changed = _mend(Path.cwd())
    _git("add", "--all")
    _git("commit", "--quiet", "--allow-empty", "--message", f"Mend {changed}")
    return _turn("review", f"I mended `{changed}`: it said “{TYPO}”, it says “{WORD}” now.\n\nPlease have a look.")


def _mend(directory: Path) -> str:
    for path in sorted(directory.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if TYPO in text:
            path.write_text(text.replace(TYPO, WORD), encoding="utf-8")
            return path.name
    notes = directory / "NOTES.md"
    earlier = notes.read_text(encoding="utf-8") if notes.exists() else "# Notes\n"
    notes.write_text(f"{earlier}\n- Looked again; the greeting is right.\n", encoding="utf-8")
    return notes.name


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)  # noqa: S603, S607 - fixed words, git from the PATH of the run


def _turn(status: str, comment: str) -> int:
    # What a model would have cost: an agent that pays for its turns says it like this.
    command = ["trackside", "turn", status, "--comment-file", "-", "--used", f"usd={COST}"]
    return subprocess.run(command, input=comment.encode(), check=False).returncode  # noqa: S603 - fixed words


if __name__ == "__main__":
    sys.exit(main())
