"""One run of ``trackside init``: the pages are served on the loopback interface until the wizard is through."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn

from bot.host.listen import address_of, listening
from bot.host.quiet import QuietServer
from bot.setup.door import Door
from bot.setup.pages import build_pages
from bot.setup.wizard import Wizard

HOST = "127.0.0.1"
_LEAST = '<!doctype html><meta http-equiv="refresh" content="0; url={url}"><a href="{url}">trackside init</a>'


async def run(
    wizard: Wizard, *, port: int, browse: Callable[[Path], object] | None, say: Callable[[str], None]
) -> None:
    """
    Serve the pages until the wizard is through, and say where they are; port 0 takes a free one.

    ``browse`` opens a file in a browser, None when nothing is to be opened. Raises ``AddressError`` when the port is
    taken, and ``ConfigError`` as ``Wizard.open`` does.
    """
    wizard.open()
    with listening(HOST, port, cure="name another one with --port") as listener:
        address, key = address_of(listener), secrets.token_urlsafe(24)
        door = Door(build_pages(wizard, address), address=address, key=key)
        config = uvicorn.Config(door, log_config=None, access_log=False, lifespan="off", loop="asyncio", ws="none")
        server = QuietServer(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            url = f"{address}/?key={key}"
            say(f"Open this address in a browser of this machine; it counts once:\n\n    {url}\n")
            with _opened(url, browse):
                await wizard.finished.wait()
        finally:
            server.should_exit = True
            # A browser may keep its connection; nobody waits for that.
            server.force_exit = not wizard.finished.is_set()
            await serving


@contextlib.contextmanager
def _opened(url: str, browse: Callable[[Path], object] | None) -> Iterator[None]:
    """
    Open the address in a browser by way of a private file.

    The arguments of a process can be read by every account of the machine, and the address holds a key.
    """
    if browse is None:
        yield
        return
    handle, name = tempfile.mkstemp(prefix="trackside-init-", suffix=".html")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_LEAST.format(url=url))
        browse(Path(name))
        yield
    finally:
        Path(name).unlink(missing_ok=True)


def in_browser(file: Path) -> bool:
    """Open a file in the browser of the person; return whether there is one."""
    return webbrowser.open(file.as_uri())
