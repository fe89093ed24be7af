"""A tracker that knows one App: where it is installed, which tokens hold, and what time it is there."""

from __future__ import annotations

import email.utils
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.clock import HOUR, SECOND, Millis
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.opening import open_client
from bot.trackers.github.permissions import EVENTS, PERMISSIONS
from bot.trackers.github.tracker import GithubTracker
from tests.clock import FakeClock
from tests.trackers.github.documents import BASE, account, repository

APP = 12345
SLUG = "trackside-acme"
SHOP = "acme/shop"
FARM = "zoo/farm"


@cache
def private_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: rsa.RSAPrivateKey | None = None) -> str:
    made = key or private_key()
    return made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def identity() -> AppIdentity:
    return AppIdentity(id=APP, key=pem())


@dataclass
class Installed:
    """An installation on an account, with the repositories that it was given."""

    id: int
    owner: str
    repositories: set[str]
    suspended: bool = False
    permissions: dict[str, str] = field(default_factory=lambda: dict(PERMISSIONS))
    events: list[str] = field(default_factory=lambda: list(EVENTS))


@dataclass(frozen=True)
class Asked:
    """A request as it came, and by what: ``app``, or the owner of the installation whose token it was."""

    method: str
    path: str
    by: str


@dataclass
class AppServer:
    """Answers as GitHub does, with state; ``answers`` are those of paths that it does not know itself."""

    clock: FakeClock = field(default_factory=FakeClock)
    base: str = ""
    installed: list[Installed] = field(default_factory=list)
    tokens: dict[str, tuple[int, Millis]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    statements: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[tuple[str, str], Callable[[httpx.Request], httpx.Response]] = field(default_factory=dict)
    minted: int = 0
    permissions: dict[str, str] = field(default_factory=lambda: dict(PERMISSIONS))
    events: list[str] = field(default_factory=lambda: list(EVENTS))
    hook: dict[str, str] | None = None
    deliveries: list[int] = field(default_factory=list)
    lasts: int = HOUR
    instead_of_a_token: httpx.Response | None = None

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def install(self, identity: int, owner: str, *names: str) -> Installed:
        made = Installed(identity, owner, {f"{owner}/{name}" for name in names})
        self.installed.append(made)
        return made

    def paths(self, by: str) -> list[str]:
        return [each.path for each in self.asked if each.by == by]

    def mints(self) -> list[str]:
        return [each.path for each in self.asked if each.path.endswith("/access_tokens")]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix(self.base)
        kind, _, value = request.headers["Authorization"].partition(" ")
        answer = self._to_app(request.method, path, value) if kind == "Bearer" else self._to_token(request, path, value)
        answer.headers["date"] = email.utils.format_datetime(
            datetime.fromtimestamp(self.clock.now() // SECOND, tz=UTC), usegmt=True
        )
        return answer

    def _to_app(self, method: str, path: str, statement: str) -> httpx.Response:
        self.asked.append(Asked(method, path, "app"))
        now = self.clock.now() // SECOND
        claims = jwt.decode(
            statement,
            private_key().public_key(),
            algorithms=["RS256"],
            options={"verify_exp": False, "verify_iat": False},
        )
        if claims["iat"] > now or not now < claims["exp"] <= now + 600:
            return httpx.Response(401, json={"message": "'Expiration time' claim ('exp') is too far in the future"})
        self.statements.append(claims)
        match path.strip("/").split("/"):
            case ["repos", owner, name, "installation"]:
                found = [each for each in self.installed if f"{owner}/{name}" in each.repositories]
                return httpx.Response(200, json=_document(found[0])) if found else _missing()
            case ["app", "installations", number, "access_tokens"]:
                return self._mint(int(number))
        documents: dict[str, object] = {
            "/app": {"id": APP, "slug": SLUG, "permissions": self.permissions, "events": self.events},
            "/app/installations": [_document(each) for each in self.installed],
            "/app/hook/config": self.hook,
            "/app/hook/deliveries": [{"status_code": status} for status in self.deliveries],
        }
        document = documents.get(path)
        return _missing() if document is None else httpx.Response(200, json=document)

    def _mint(self, number: int) -> httpx.Response:
        found = next((each for each in self.installed if each.id == number), None)
        if found is None:
            return _missing()
        if found.suspended:
            return httpx.Response(403, json={"message": "This installation has been suspended"})
        if self.instead_of_a_token is not None:
            return self.instead_of_a_token
        self.minted += 1
        token = f"ghs_{secrets.token_hex(18)}"
        ends = Millis(self.clock.now() + self.lasts)
        self.tokens[token] = (number, ends)
        told = datetime.fromtimestamp(ends // SECOND, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return httpx.Response(201, json={"token": token, "expires_at": told})

    def _to_token(self, request: httpx.Request, path: str, token: str) -> httpx.Response:
        number, ends = self.tokens.get(token, (0, Millis(0)))
        found = next((each for each in self.installed if each.id == number), None)
        self.asked.append(Asked(request.method, path, "nobody" if found is None else found.owner))
        if found is None or ends <= self.clock.now():
            return httpx.Response(401, json={"message": "Bad credentials"})
        if found.suspended:
            return httpx.Response(403, json={"message": "This installation has been suspended"})
        answer = self.answers.get((request.method, path))
        return self._from_repository(path, found) if answer is None else answer(request)

    def _from_repository(self, path: str, found: Installed) -> httpx.Response:
        match path.strip("/").split("/"):
            case ["users", login]:
                return httpx.Response(200, json=account(login, id=777, type="Bot"))
            case ["repos", owner, name]:
                if f"{owner}/{name}" not in found.repositories:
                    return _missing()
                document = repository(name, owner=account(owner, id=5, type="Organization"))
                return httpx.Response(200, json=document, headers=_quota(found))
        return _missing()


def _document(installed: Installed) -> Mapping[str, object]:
    return {
        "id": installed.id,
        "account": account(installed.owner, type="Organization"),
        "permissions": installed.permissions,
        "events": installed.events,
        "html_url": f"https://tracker.test/settings/installations/{installed.id}",
        "suspended_at": "2026-12-01T12:00:00Z" if installed.suspended else None,
    }


def _quota(installed: Installed) -> dict[str, str]:
    return {"x-ratelimit-remaining": str(4000 + installed.id), "x-ratelimit-resource": "core"}


def _missing() -> httpx.Response:
    return httpx.Response(404, json={"message": "Not Found"})


class Age:
    """The clock that only counts."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._apart = 0

    def __call__(self) -> int:
        return self._clock.now() + self._apart

    def set_clock(self, milliseconds: int) -> None:
        """Set the other clock forward or back, without any time going by."""
        self._clock.advance(milliseconds)
        self._apart -= milliseconds


@asynccontextmanager
async def opened(server: AppServer, clock: FakeClock, age: Age, base: str = BASE) -> AsyncIterator[GithubTracker]:
    opening = open_client(identity(), base_url=base, seconds=1.0, transport=server.transport, clock=clock, age=age)
    async with opening as (client, credentials):
        yield GithubTracker(client, credentials)
