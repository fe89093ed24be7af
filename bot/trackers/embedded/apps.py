"""GitHub Apps: registered from a manifest, given a key once, and known by it afterwards."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.clock import HOUR, Millis
from bot.trackers.embedded import people, rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.faults import invalid, not_found
from bot.trackers.embedded.store import Row, Tx
from bot.trackers.embedded.values import Account, AccountKind, Hook

CODE_LIFE = HOUR
"""How long the code of a manifest can be exchanged."""
_BITS = 2048
_MOST = 34
"""Characters of an App's name."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What somebody asks an App to be; without a ``hook_url`` it is told nothing."""

    name: str
    url: str
    permissions: Mapping[str, str]
    events: Sequence[str] = ()
    description: str | None = None
    hook_url: str | None = None
    redirect_url: str | None = None
    setup_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class App:
    """An App. ``bot`` is the account that it acts as; ``public_key`` is None until its code was exchanged."""

    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    description: str | None
    external_url: str
    setup_url: str | None
    client_id: str
    public_key: str | None
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    installations: int
    created_at: Millis
    updated_at: Millis


@dataclass(frozen=True, kw_only=True)
class Keys:
    """What is told of an App once; of it the tracker keeps the webhook secret and the public half of the key."""

    pem: str
    client_secret: str
    webhook_secret: str | None


async def register(act: Act, owner: Account, manifest: Manifest) -> tuple[App, str]:
    """Add an App; return it and the code for which its key is given. Raises ``RefusedError`` (422)."""
    slug = re.sub(r"[^a-z0-9]+", "-", manifest.name.lower()).strip("-")
    if not slug or len(manifest.name) > _MOST:
        raise invalid("Integration", "name")
    if await act.tx.one("app_by_name", name=manifest.name, slug=slug) is not None:
        raise invalid("Integration", "name", "custom", "Name has already been taken")
    bot = await people.add(act.tx, f"{slug}[bot]", name=None, kind=AccountKind.BOT, now=act.now)
    identity, code = await act.tx.next_id(), secrets.token_hex(20)
    await act.tx.run(
        "app_insert",
        id=identity,
        owner=owner.id,
        bot=bot.id,
        slug=slug,
        name=manifest.name,
        description=manifest.description,
        external_url=manifest.url,
        setup_url=manifest.setup_url,
        client_id=f"Iv23{secrets.token_hex(8)}",
        permissions=json.dumps({"metadata": "read", **manifest.permissions}),
        events=json.dumps(list(manifest.events)),
        code=_digest(code),
        code_until=act.now + CODE_LIFE,
        now=act.now,
    )
    await act.tx.run(
        "app_hook_insert",
        id=await act.tx.next_id(),
        app=identity,
        url=manifest.hook_url or "",
        secret=secrets.token_hex(20) if manifest.hook_url else "",
        active=manifest.hook_url is not None,
        now=act.now,
    )
    return await find(act.tx, identity), code


def new_key() -> str:
    """Make the private key of an App, as PEM in the form in which GitHub gives it."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


async def exchange(tx: Tx, code: str, pem: str, *, now: Millis) -> tuple[App, Keys]:
    """
    Take a code, once, and let ``pem`` be the key of its App.

    Raises ``RefusedError`` (404) for a code that is unknown, used or too old.
    """
    row = await tx.one("app_by_code", code=_digest(code), now=now)
    if row is None:
        raise not_found()
    app = _read(row)
    await tx.run("app_key", id=app.id, public_key=_public(pem), now=now)
    hook = await hook_of(tx, app)
    keys = Keys(pem=pem, client_secret=secrets.token_hex(20), webhook_secret=hook.secret or None)
    return await find(tx, app.id), keys


async def find(tx: Tx, identity: int) -> App:
    """Return the App. Raises ``RefusedError`` (404)."""
    return _found(await tx.one("app_by_id", id=identity))


async def find_by_slug(tx: Tx, slug: str) -> App:
    """Return the App. Raises ``RefusedError`` (404)."""
    return _found(await tx.one("app_by_slug", slug=slug))


async def find_by_client_id(tx: Tx, client_id: str) -> App:
    """Return the App. Raises ``RefusedError`` (404)."""
    return _found(await tx.one("app_by_client_id", client_id=client_id))


async def hook_of(tx: Tx, app: App) -> Hook:
    """Return the webhook of an App; every App has one, active or not."""
    row = await tx.one("app_hook", app=app.id)
    if row is None:
        raise not_found()
    return rows.hook(row)


async def change_hook(act: Act, app: App, *, url: str | None, secret: str | None) -> Hook:
    """Let the events of an App go to another address, or be signed with another secret; None leaves it."""
    hook = await hook_of(act.tx, app)
    address = hook.url if url is None else url
    if address and not address.startswith(("http://", "https://")):
        raise invalid("Hook", "url")
    await act.tx.run(
        "app_hook_update",
        id=hook.id,
        url=address,
        secret=hook.secret if secret is None else secret,
        active=bool(address),
        now=act.now,
    )
    return await hook_of(act.tx, app)


async def allow(act: Act, app: App, permissions: Mapping[str, str], events: Sequence[str]) -> App:
    """Change what an App asks for; an installation has it when its owner accepts."""
    granted = json.dumps({"metadata": "read", **permissions})
    await act.tx.run("app_allow", id=app.id, permissions=granted, events=json.dumps(list(events)), now=act.now)
    return await find(act.tx, app.id)


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _public(pem: str) -> str:
    key = serialization.load_pem_private_key(pem.encode(), None)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def _found(row: Row | None) -> App:
    if row is None:
        raise not_found()
    return _read(row)


def _read(row: Row) -> App:
    return App(
        id=row["id"],
        slug=row["slug"],
        name=row["name"],
        owner=rows.joined(row, "owner", "owner"),
        bot=rows.joined(row, "bot", "bot"),
        description=row["description"],
        external_url=row["external_url"],
        setup_url=row["setup_url"],
        client_id=row["client_id"],
        public_key=row["public_key"],
        permissions=json.loads(row["permissions"]),
        events=tuple(json.loads(row["events"])),
        installations=row["installations"],
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
    )
