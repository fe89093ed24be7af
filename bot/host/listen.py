"""The socket on which a process takes requests, taken before anything else is started."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from bot.errors import AddressError


@contextmanager
def listening(host: str, port: int, *, cure: str) -> Iterator[socket.socket]:
    """
    Listen on an address, and give it back at the end; port 0 takes a free one.

    Who asks before the socket is served waits for it. Raises ``AddressError``, which ends with the ``cure``.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()
        except OSError as error:
            raise AddressError(f"cannot listen on {host}:{port}: {error.strerror}; {cure}") from error
        yield listener


def address_of(listener: socket.socket) -> str:
    """Return the URL at which a program of this machine reaches the socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
