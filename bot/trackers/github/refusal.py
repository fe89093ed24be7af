"""From an answer that is an error to the error of the contract. The only place that tells them apart."""

from __future__ import annotations

import email.utils
from datetime import UTC

import httpx

from bot.clock import SECOND
from bot.errors import RateLimitedError, TrackerError, TrackerMissingError, TrackerUnavailableError

UNTOLD_WAIT = 60 * SECOND
"""How long to wait when the tracker asks for it without saying how long, in milliseconds."""

_MISSING = frozenset({404, 410})
_LIMITED = frozenset({403, 429})
_LIMIT_WORDS = ("rate limit", "abuse detection")
_LIMIT_PAGES = ("rate-limit", "abuse-rate")
"""In the address of the page that explains a refusal; its message was rewritten before (gh-R-02)."""
_MOST = 500


def refusal(answer: httpx.Response) -> TrackerError:
    """Return the error that an answer of status 400 or above means. Its body must have been read."""
    status, said = answer.status_code, _said(answer)
    wait = _wait(answer, said) if status in _LIMITED else None
    if wait is not None:
        return RateLimitedError(f"the tracker asks to wait: {said}", status=status, retry_after=wait)
    if status in _MISSING:
        return TrackerMissingError(f"the tracker does not know {answer.url.path}", status=status)
    if status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return TrackerUnavailableError(f"the tracker failed with {status}", status=status)
    return TrackerError(f"the tracker refused with {status}: {said}", status=status)


def _wait(answer: httpx.Response, said: str) -> int | None:
    """Return the milliseconds that the tracker asks to wait, or None when this is another kind of refusal."""
    headers = answer.headers
    after = headers.get("retry-after")
    if after is not None:
        return _seconds(int(after)) if _whole(after) else _until(moment_of(after), answer)
    if headers.get("x-ratelimit-remaining") == "0":
        reset = headers.get("x-ratelimit-reset", "")
        return _until(int(reset) if _whole(reset) else None, answer)
    told = any(word in said.lower() for word in _LIMIT_WORDS) or any(page in _page(answer) for page in _LIMIT_PAGES)
    return UNTOLD_WAIT if told or answer.status_code == httpx.codes.TOO_MANY_REQUESTS else None


def _until(moment: int | None, answer: httpx.Response) -> int:
    # Both moments are the tracker's own, so that no clock of ours takes part.
    sent = moment_of(answer.headers.get("date", ""))
    return UNTOLD_WAIT if moment is None or sent is None else _seconds(moment - sent)


def moment_of(text: str) -> int | None:
    """Return the seconds since 1970 of a date as HTTP writes it, or None for anything else."""
    try:
        return int(email.utils.parsedate_to_datetime(text).astimezone(UTC).timestamp())
    except ValueError:
        return None


def _seconds(count: int) -> int:
    return max(count, 1) * SECOND


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _said(answer: httpx.Response) -> str:
    """Return what the tracker says for people: its message, and what is wrong in particular."""
    try:
        document = answer.json()
    except ValueError:
        return "no reason given"
    if not isinstance(document, dict):
        return "no reason given"
    errors = document.get("errors")
    parts = [document.get("message"), *map(_detail, errors if isinstance(errors, list) else [])]
    return "; ".join(part for part in parts if isinstance(part, str) and part)[:_MOST] or "no reason given"


def _page(answer: httpx.Response) -> str:
    """Return the address of the page that explains a refusal, in lower case, empty when there is none."""
    try:
        document = answer.json()
    except ValueError:
        return ""
    page = document.get("documentation_url") if isinstance(document, dict) else None
    return page.lower() if isinstance(page, str) else ""


def _detail(error: object) -> object:
    if not isinstance(error, dict):
        return error
    return error.get("message") or " ".join(str(error[key]) for key in ("field", "code") if error.get(key))
