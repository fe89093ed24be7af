"""Running git: arguments only, no prompt, no hooks, no configuration but what stands here and the repository's own."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bot.errors import TrackerError, TracksideError

TIMEOUT = 300.0
"""Seconds for one command: a first fetch of a large repository fits."""

_SAFE = {
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_EDITOR": "true",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "file:http:https:ssh",
    "GIT_DEFAULT_HASH": "sha1",
    "GIT_DEFAULT_REF_FORMAT": "files",
    "GIT_AUTHOR_NAME": "Trackside",
    "GIT_AUTHOR_EMAIL": "trackside@localhost",
    "GIT_COMMITTER_NAME": "Trackside",
    "GIT_COMMITTER_EMAIL": "trackside@localhost",
}
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "credential.helper": "",
    # Workspaces borrow objects of the mirror, so that it must not throw away what nothing in it refers to.
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "init.defaultBranch": "main",
    # A connection that moves less than a kilobyte a second for a minute is dead.
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}
_INHERITED = ("PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")


class GitError(TracksideError):
    """
    A git command failed.

    ``status`` is its exit status, None when it did not come to an end; ``output`` is all that it said.
    """

    def __init__(self, message: str | None = None, *, status: int | None = None, output: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.output = output


Token = Callable[[str], Awaitable[str]]
"""Returns the token of the moment for a remote address, empty when there is none. Raises ``TrackerError``."""


async def no_token(_remote: str) -> str:
    """Return no token, for what needs none."""
    return ""


@dataclass(frozen=True, kw_only=True)
class Git:
    """
    Runs git commands; one may take ``seconds``.

    ``token`` is asked for each command that reaches a remote over HTTP, so that none is kept longer than it holds. It
    is handed to git in the environment of that command alone, bound to the remote's host: never in an argument, an
    address or a file (ag-I01).
    """

    token: Token = field(default=no_token, repr=False)
    seconds: float = TIMEOUT

    async def run(
        self,
        directory: Path,
        *arguments: str,
        remote: str = "",
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        keep: int | None = None,
    ) -> str:
        """
        Run one command in a directory and return its output.

        ``remote`` is the address that the command reaches, if any; ``settings`` are git's own. ``keep`` is a file
        descriptor that stays open as long as the command, or anything that it started, runs. Raises ``GitError``.
        """
        token = await self._token(remote)
        variables = _environment(remote, token, settings or {}) | dict(environment or {})
        name = next((each for each in arguments if not each.startswith("-")), "")
        try:
            process = await _started(arguments, directory, variables, keep)
        except OSError as error:
            raise GitError(f"git {name} could not be started: {error}") from error
        try:
            async with asyncio.timeout(self.seconds):
                out, err = await process.communicate()
        except BaseException as error:
            await _end(process)
            if isinstance(error, TimeoutError):
                raise GitError(f"git {name} took longer than {self.seconds:g} s") from error
            raise
        said, answer = _redacted(err, token), _redacted(out, token)
        if process.returncode:
            message = f"git {name} failed: {_reason(said)}"
            raise GitError(message, status=process.returncode, output=f"{answer}\n{said}")
        return answer

    async def _token(self, remote: str) -> str:
        if urlsplit(remote).scheme not in {"http", "https"}:
            return ""
        try:
            return await self.token(remote)
        except TrackerError as error:
            raise GitError(f"there is no token for git: {error}") from error


def _environment(remote: str, token: str, settings: Mapping[str, str]) -> dict[str, str]:
    entries = [*_SETTINGS.items(), *_credentials(remote, token), *settings.items()]
    numbered = {"GIT_CONFIG_COUNT": str(len(entries))}
    for place, (key, value) in enumerate(entries):
        numbered |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {**inherited, **_SAFE, **numbered}


def _credentials(remote: str, token: str) -> list[tuple[str, str]]:
    if not token:
        return []
    address = urlsplit(remote)
    host = address.netloc.rpartition("@")[2]
    return [(f"http.{address.scheme}://{host}/.extraHeader", f"Authorization: Basic {_basic(token)}")]


def _basic(token: str) -> str:
    return base64.b64encode(f"x-access-token:{token}".encode()).decode()


def _redacted(output: bytes, token: str) -> str:
    text = output.decode(errors="replace").strip()
    if token:
        text = text.replace(token, "[redacted]").replace(_basic(token), "[redacted]")
    return text


async def _started(
    arguments: tuple[str, ...], directory: Path, variables: Mapping[str, str], keep: int | None
) -> asyncio.subprocess.Process:
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            "git",
            *arguments,
            cwd=directory,
            env=variables,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            pass_fds=() if keep is None else (keep,),
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # It may be at work already, with others that it started: cancelling its start would end it alone.
        await _end(await starting)
        raise


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a command and what it started, such as a helper that fetches."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    # To the end of its output, so that its pipes are closed.
    await process.communicate()


def _reason(said: str) -> str:
    """Return the line that tells what went wrong: git says it first and adds advice."""
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:", "remote:"))]
    return lines[0] if lines else (said.splitlines() or ["it said nothing"])[-1]
