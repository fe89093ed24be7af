"""Running git: arguments only, no prompt, no hooks, no configuration but the repository's own."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import TracksideError

TIMEOUT = 300.0
"""Seconds for one command: a first fetch of a large repository fits."""

_SAFE = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ASKPASS": "true",
    "GIT_AUTHOR_NAME": "Trackside",
    "GIT_AUTHOR_EMAIL": "trackside@localhost",
    "GIT_COMMITTER_NAME": "Trackside",
    "GIT_COMMITTER_EMAIL": "trackside@localhost",
    "LC_ALL": "C",
}
_ALWAYS = {"core.hooksPath": os.devnull, "core.fsmonitor": "false", "gc.auto": "0", "protocol.file.allow": "always"}


class GitError(TracksideError):
    """A git command failed; ``output`` is what it said."""

    def __init__(self, message: str | None = None, *, output: str = "") -> None:
        super().__init__(message)
        self.output = output


@dataclass(frozen=True, kw_only=True)
class Git:
    """
    Runs git commands.

    ``token`` is handed to git in the environment of the commands that reach a remote over HTTP, never in an
    argument or a file.
    """

    token: str = ""

    async def run(self, directory: Path, *arguments: str, git_dir: Path | None = None) -> str:
        """Run one command in a directory and return its output. Raises ``GitError``."""
        place = () if git_dir is None else (f"--git-dir={git_dir}",)
        process = await asyncio.create_subprocess_exec(
            "git",
            *place,
            *arguments,
            cwd=directory,
            env=self._environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(TIMEOUT):
                out, err = await process.communicate()
        except BaseException as error:
            process.kill()
            await process.wait()
            if isinstance(error, TimeoutError):
                raise GitError(f"git {arguments[0]} took longer than {TIMEOUT:.0f} s") from error
            raise
        if process.returncode:
            said = self._redacted(err.decode(errors="replace").strip())
            raise GitError(f"git {arguments[0]} failed: {_last_line(said)}", output=said)
        return out.decode(errors="replace").strip()

    def _environment(self) -> Mapping[str, str]:
        config = dict(_ALWAYS)
        if self.token:
            basic = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
            config["http.extraHeader"] = f"Authorization: Basic {basic}"
        entries = {"GIT_CONFIG_COUNT": str(len(config))}
        for place, (key, value) in enumerate(config.items()):
            entries |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
        inherited = {
            name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "SSL_CERT_FILE") if name in os.environ
        }
        return {**inherited, **_SAFE, **entries}

    def _redacted(self, text: str) -> str:
        return text.replace(self.token, "[redacted]") if self.token else text


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
