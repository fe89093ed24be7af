"""The HTTP application: the receiver, the toolbelt, and two routes for whoever watches the process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.errors import StorageError
from bot.host.health import Health
from bot.host.skew import Skew
from bot.metrics import CONTENT_TYPE, render
from bot.storage.contract import Store
from webhooks.receiver import Receiver


def http_app(
    store: Store, receiver: Receiver, toolbelt: APIRouter, health: Callable[[], Health], skew: Skew | None = None
) -> FastAPI:
    """
    Return the application. The receiver is a bare route: typed requests would cost more than its work.

    ``skew`` is asked for the clock where several hosts share the database.
    """
    app = FastAPI(title="Trackside", docs_url=None, redoc_url=None, openapi_url=None)
    app.router.routes.append(Route("/webhooks/github", endpoint=receiver))
    app.router.routes.append(Route("/healthz", endpoint=_alive(health), methods=["GET"]))
    app.router.routes.append(Route("/readyz", endpoint=_ready(store, health, skew), methods=["GET"]))
    app.router.routes.append(Route("/metrics", endpoint=_metrics, methods=["GET"]))
    app.include_router(toolbelt)
    return app


def _alive(health: Callable[[], Health]) -> Callable[[Request], Awaitable[Response]]:
    async def alive(_request: Request) -> Response:
        """Answer 200 while every loop turns, else 503: only a new process helps then."""
        seen = health()
        if seen.alive:
            return JSONResponse({"status": "alive"})
        return _unavailable({"status": "stuck", "stuck": list(seen.stuck)})

    return alive


def _ready(store: Store, health: Callable[[], Health], skew: Skew | None) -> Callable[[Request], Awaitable[Response]]:
    async def ready(_request: Request) -> Response:
        """Answer 200 when the database can be read and every pass has come to its end lately, else 503."""
        seen = health()
        passes = seen.to_document()
        try:
            await store.read(lambda tx: tx.cursors.get("ready"))
            reason = "" if skew is None else await skew.fault()
        except StorageError as error:
            reason = str(error)
        if seen.stuck:
            reason = reason or f"no progress: {', '.join(seen.stuck)}"
        if reason:
            return _unavailable({"status": "not ready", "reason": reason, "passes": passes})
        return JSONResponse({"status": "ready", "passes": passes})

    return ready


async def _metrics(_request: Request) -> Response:
    """Answer with what was counted, for Prometheus."""
    return Response(render(), media_type=CONTENT_TYPE)


def _unavailable(document: dict[str, object]) -> Response:
    return JSONResponse(document, status_code=HTTPStatus.SERVICE_UNAVAILABLE)
