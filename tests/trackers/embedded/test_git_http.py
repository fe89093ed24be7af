"""Git over HTTP with the token of an App: what it reads, what it pushes, and what it is refused."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import jwt
import pytest
import uvicorn

from bot.clock import SECOND, SystemClock
from bot.host.quiet import QuietServer
from bot.trackers.embedded.apps import Manifest
from bot.trackers.embedded.tracker import EmbeddedTracker
from tests.trackers.embedded.test_apps import pem

REPO = "acme/shop"


@dataclass(frozen=True)
class Served:
    tracker: EmbeddedTracker
    address: str
    place: Path
    app: int
    installation: int

    async def token(self, **permissions: str) -> str:
        now = SystemClock().now() // SECOND
        signed = jwt.encode({"iat": now - 60, "exp": now + 60, "iss": str(self.app)}, pem(), "RS256")
        headers = {"Authorization": f"Bearer {signed}"}
        async with httpx.AsyncClient(base_url=self.address, headers=headers) as client:
            path = f"/app/installations/{self.installation}/access_tokens"
            answer = await client.post(path, json={"permissions": permissions} if permissions else {})
        return str(answer.json()["token"])

    def url(self, token: str, repository: str = REPO) -> str:
        return f"{self.address.replace('://', f'://x-access-token:{token}@')}/{repository}.git"

    async def git(self, *arguments: str, inside: str = ".") -> tuple[int, str]:
        """Run git as a person would, and return how it ended and what it said."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.place),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        process = await asyncio.create_subprocess_exec(
            "git",
            *arguments,
            cwd=self.place / inside,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        return process.returncode or 0, out.decode()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with (
            httpx.AsyncClient() as client,
            EmbeddedTracker.open(
                tmp_path / "tracker.db",
                tmp_path / "git",
                clock=SystemClock(),
                client=client,
                base_url=address,
                git_over_http=True,
            ) as tracker,
        ):
            for name in ("shop", "open"):
                await tracker.create_repository("acme", name, {"README.md": "# One\n"}, private=name == "shop")
            manifest = Manifest(name="Bot", url="https://example.org", permissions={"contents": "write"})
            app, _ = await tracker.add_app("acme", manifest, pem=pem())
            installation = await tracker.install(app.slug, "acme", [REPO])
            server = QuietServer(uvicorn.Config(tracker.app, log_config=None, lifespan="off", loop="asyncio"))
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            yield Served(tracker, address, tmp_path, app.id, installation.id)
            server.should_exit = server.force_exit = True
            await serving


async def test_a_token_clones_and_pushes_where_its_app_was_let_in(served: Served) -> None:
    """A push moves the pull request of its branch, and outside of its permissions and repositories it is refused."""
    url = served.url(await served.token())
    assert (await served.git("clone", "--quiet", url, "work"))[0] == 0
    await served.git("config", "user.email", "bot@example.org", inside="work")
    await served.git("config", "user.name", "Bot", inside="work")
    for number in ("one", "two"):
        (served.place / "work" / "a.txt").write_text(f"{number}\n")
        await served.git("add", ".", inside="work")
        await served.git("commit", "--quiet", "-m", number, inside="work")
        ended, said = await served.git("push", "--quiet", "origin", "HEAD:refs/heads/fix", inside="work")
        assert ended == 0, said
        if number == "one":
            await served.tracker.open_pull(REPO, by="acme", title="Fix", head="fix")
    _, tip = await served.git("rev-parse", "HEAD", inside="work")
    assert (await served.tracker.pull(REPO, 1)).head_sha == tip.strip()
    # By its former name too, as git follows where it is led.
    await served.tracker.rename(REPO, "store", by="acme")
    assert (await served.git("fetch", "--quiet", "origin", inside="work"))[0] == 0

    reading = served.url(await served.token(contents="read"), "acme/store")
    ended, said = await served.git("push", reading, "HEAD:refs/heads/more", inside="work")
    assert ended != 0
    assert "403" in said
    assert (await served.git("ls-remote", reading))[0] == 0
    for refused in (served.url(await served.token(), "acme/open"), served.url("x" * 40, "acme/store")):
        assert (await served.git("ls-remote", refused))[0] != 0
