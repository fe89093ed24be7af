"""Times and amounts as people read them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from bot.clock import Millis
from bot.views.thread import UsageView

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONG = 120
_CURRENCIES = frozenset({"usd", "eur", "gbp"})


def clock_time(moment: Millis, now: Millis) -> str:
    """Return a moment as ``21:04 UTC``, with its day when that is not today."""
    at, today = _utc(moment), _utc(now)
    day = "" if at.date() == today.date() else f"{_MONTHS[at.month - 1]} {at.day}, "
    return f"{day}{at:%H:%M} UTC"


def amount(value: float, unit: str) -> str:
    """Return an amount with its unit, such as ``1.87 USD`` or ``12,000 tokens``."""
    if unit in _CURRENCIES:
        return f"{value:.2f} {unit.upper()}"
    return f"{_plain(value)} {unit}"


def amount_of_cap(value: float, cap: float, unit: str) -> str:
    """Return what was used of a cap, such as ``5.00 of 5.00 USD``."""
    if unit in _CURRENCIES:
        return f"{value:.2f} of {cap:.2f} {unit.upper()}"
    return f"{_plain(value)} of {_plain(cap)} {unit}"


def count(number: int, thing: str, things: str | None = None) -> str:
    """Return a number of things, such as ``1 turn`` or ``2 turns``."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {things or f'{thing}s'}"


def duration(minutes: int) -> str:
    """Return a time such as ``14 min`` or ``2 h 11 min``."""
    hours, rest = divmod(minutes, 60)
    return f"{minutes} min" if minutes < _LONG else f"{hours} h {rest} min"


def usage(used: UsageView) -> Iterator[str]:
    """Yield what was used, one figure each; what was not used and has no cap is left out."""
    if used.attempts:
        yield count(used.attempts, "attempt")
    if used.turns > used.attempts:
        # An attempt that was never suspended is one turn, which need not be said twice.
        yield count(used.turns, "turn")
    if used.minutes:
        yield duration(used.minutes)
    for unit in sorted({*used.units, *used.caps}):
        spent, cap = used.units.get(unit, 0.0), used.caps.get(unit)
        if cap is not None:
            yield f"{amount(spent, unit)} of {_plain(cap)}"
        elif spent:
            yield amount(spent, unit)


def _plain(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def _utc(moment: Millis) -> datetime:
    return datetime.fromtimestamp(moment / 1000, tz=UTC)
