"""Logging: one JSON object a line on standard error, or plain text on a terminal."""

from __future__ import annotations

import logging
import sys

import structlog


def configure_logging(*, level: str = "info", readable: bool | None = None) -> None:
    """
    Set up logging for the process.

    ``readable`` is for people at a terminal; by default it is chosen by whether standard error is one.
    """
    plain = sys.stderr.isatty() if readable is None else readable
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if plain else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.StackInfoRenderer(),
            *([] if plain else [structlog.processors.format_exc_info]),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
