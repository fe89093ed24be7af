"""
Git over HTTP, as GitHub has it: ``/owner/name.git``, with a token as the password.

Git itself speaks the protocol; here it is decided who may, and which repository it is about.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import re
import zlib
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from bot.clock import Millis
from bot.trackers.embedded import access, people, repositories
from bot.trackers.embedded.access import Access
from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.faults import FORBIDDEN, NOT_FOUND, UNAUTHORIZED, MovedError, RefusedError
from bot.trackers.embedded.git import attempt
from bot.trackers.embedded.pull_desk import PullDesk
from bot.trackers.embedded.store import Tx
from bot.trackers.embedded.values import Account, Repository, Role

PATH = re.compile(r"/([^/]+)/([^/]+)\.git/(info/refs|git-upload-pack|git-receive-pack)")
_PUSH = "git-receive-pack"
_SERVICES = frozenset({"git-upload-pack", _PUSH})
_BAD_REQUEST = 400


class GitHttp:
    """Answers git's requests."""

    def __init__(self, desk: Desk, pull_desk: PullDesk) -> None:
        self._desk = desk
        self._pull_desk = pull_desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        found = PATH.fullmatch(request.url.path)
        if found is None:
            answer: Response = PlainTextResponse("Not Found", NOT_FOUND)
        else:
            answer = await self._answer(request, found[1], found[2], found[3])
        await answer(scope, receive, send)

    async def _answer(self, request: Request, owner: str, name: str, rest: str) -> Response:
        advertise = rest == "info/refs"
        service = parse_qs(request.url.query).get("service", [""])[0] if advertise else rest
        if service not in _SERVICES or request.method != ("GET" if advertise else "POST"):
            return PlainTextResponse("Please upgrade your git client.", _BAD_REQUEST)
        try:
            repository = await self._admit(request, owner, name, push=service == _PUSH)
        except MovedError as moved:
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{self._desk.links.base}/{moved.full_name}.git/{rest}{query}", 301)
        except RefusedError as refusal:
            headers = {"WWW-Authenticate": 'Basic realm="GitHub"'} if refusal.status == UNAUTHORIZED else {}
            return PlainTextResponse(str(refusal), refusal.status or FORBIDDEN, headers)
        return await self._serve(request, repository, service, advertise=advertise)

    async def _admit(self, request: Request, owner: str, name: str, *, push: bool) -> Repository:
        """Return the repository. Raises ``RefusedError``: 401 without a token that counts, 403, 404."""
        now = self._desk.clock.now()
        async with self._desk.store.transaction() as tx:
            account, granted = await _who(tx, request, now=now)
        async with self._desk.look(account) as act:
            repository = await repositories.find(act, owner, name)
            if granted is not None and repository not in await access.repositories_of(act.tx, granted):
                raise RefusedError(NOT_FOUND, "Repository not found.")
            role = await repositories.role_of(act, repository, account)
        needed, level = (Role.WRITE, "write") if push else (Role.READ, "read")
        if not role.allows(needed) or (granted is not None and not granted.allows("contents", level)):
            raise RefusedError(FORBIDDEN, f"Permission to {repository.full_name}.git denied to {account.login}.")
        return repository

    async def _serve(self, request: Request, repository: Repository, service: str, *, advertise: bool) -> Response:
        directory = self._desk.links.git_path(repository)
        try:
            body = await request.body()
            body = gzip.decompress(body) if request.headers.get("content-encoding") == "gzip" else body
        except (OSError, EOFError, zlib.error):
            return PlainTextResponse("The body is not gzip.", _BAD_REQUEST)
        options = ["--stateless-rpc", *(["--advertise-refs"] if advertise else [])]
        version = request.headers.get("git-protocol", "")
        environment = {"GIT_PROTOCOL": version} if re.fullmatch(r"version=\d", version) else {}
        ended = await attempt(
            directory, service.removeprefix("git-"), *options, str(directory), stdin=body, environment=environment
        )
        if service == _PUSH and not advertise:
            await self._pull_desk.refresh(repository)
        head = _packet(f"# service={service}\n") + b"0000" if advertise else b""
        kind = "advertisement" if advertise else "result"
        headers = {"Cache-Control": "no-cache", "Content-Type": f"application/x-{service}-{kind}"}
        return Response(head + ended.stdout, headers=headers)


async def _who(tx: Tx, request: Request, *, now: Millis) -> tuple[Account, Access | None]:
    """Return whose token is the password, and what the token of an App may do. Raises ``RefusedError`` (401, 403)."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    try:
        token = base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        token = ""
    if scheme.lower() != "basic" or not token:
        raise RefusedError(UNAUTHORIZED, "Repository not found.")
    account = await people.by_token(tx, token)
    if account is not None:
        return account, None
    found = await access.by_token(tx, token, now=now)
    if found is None:
        raise RefusedError(UNAUTHORIZED, "Invalid username or token.")
    return found


def _packet(text: str) -> bytes:
    return f"{len(text) + 4:04x}{text}".encode()
