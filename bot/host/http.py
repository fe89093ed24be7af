"""The HTTP application: the receiver, the toolbelt, and two routes for whoever watches the process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.errors import StorageError
from bot.storage.contract import Store
from webhooks.receiver import Receiver


def http_app(store: Store, receiver: Receiver, toolbelt: APIRouter) -> FastAPI:
    """Return the application. The receiver is a bare route: typed requests would cost more than its work."""
    app = FastAPI(title="Trackside", docs_url=None, redoc_url=None, openapi_url=None)
    app.router.routes.append(Route("/webhooks/github", endpoint=receiver))
    app.router.routes.append(Route("/healthz", endpoint=_alive, methods=["GET"]))
    app.router.routes.append(Route("/readyz", endpoint=_ready(store), methods=["GET"]))
    app.include_router(toolbelt)
    return app


async def _alive(_request: Request) -> Response:
    """Answer as long as the event loop turns."""
    return JSONResponse({"status": "alive"})


def _ready(store: Store) -> Callable[[Request], Awaitable[Response]]:
    async def ready(_request: Request) -> Response:
        """Answer 200 when the database can be read, else 503."""
        try:
            await store.read(lambda tx: tx.cursors.get("ready"))
        except StorageError as error:
            return JSONResponse({"status": "not ready", "reason": str(error)}, status_code=503)
        return JSONResponse({"status": "ready"})

    return ready
