"""Limits of what people may write, as GitHub has them."""

from __future__ import annotations

from bot.trackers.embedded.faults import UNPROCESSABLE, RefusedError, invalid

MAX_BODY = 65_536
"""Characters in the text of an issue, a comment or a review."""
MAX_TITLE = 256


def check_body(resource: str, body: str) -> None:
    """Raise ``RefusedError`` (422) when a text is too long."""
    if len(body) > MAX_BODY:
        message = f"Body is too long (maximum is {MAX_BODY} characters)"
        detail = {"resource": resource, "code": "unprocessable", "field": "data", "message": message}
        raise RefusedError(UNPROCESSABLE, "Validation Failed", [detail])


def check_title(resource: str, title: str) -> None:
    """Raise ``RefusedError`` (422) when a title is blank or too long."""
    if not title.strip():
        raise invalid(resource, "title", "missing_field")
    if len(title) > MAX_TITLE:
        raise invalid(resource, "title", "custom", f"title is too long (maximum is {MAX_TITLE} characters)")
