"""A repository that is reached over HTTP as the tracker's are: by a token that holds for a while, and no other."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit


@dataclass
class Door:
    """Who is let in. ``refused`` and ``let_in`` are how many requests were; ``port`` is where it listens."""

    root: Path
    token: str = ""
    refused: int = 0
    let_in: int = 0
    port: int = 0

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}.git"

    def opens(self, header: str) -> bool:
        wanted = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        if header == f"Basic {wanted}":
            self.let_in += 1
            return True
        self.refused += 1
        return False


@contextmanager
def door(root: Path) -> Iterator[Door]:
    """Serve the repositories below a directory, with git's own program for that."""
    opened = Door(root)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so by its base
            """Say nothing."""

        def _answer(self, body: bytes) -> None:
            if not opened.opens(self.headers.get("Authorization", "")):
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="tracker"')
                self.end_headers()
                return
            head, _, content = _backend(root, self, body).partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    opened.port = server.server_port
    serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    try:
        yield opened
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def _backend(root: Path, request: BaseHTTPRequestHandler, body: bytes) -> bytes:
    address = urlsplit(request.path)
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.receivepack",
        "GIT_CONFIG_VALUE_0": "true",
        "PATH_INFO": address.path,
        "QUERY_STRING": address.query,
        "REQUEST_METHOD": request.command,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        "REMOTE_USER": "trackside",
    }
    answer = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
    return answer.stdout
