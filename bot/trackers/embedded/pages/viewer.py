"""Who looks at a page: whoever is chosen in the switch at its top, kept in a cookie. There are no passwords."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from bot.trackers.embedded import people
from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.faults import forbidden
from bot.trackers.embedded.pull_desk import PullDesk
from bot.trackers.embedded.values import Account

COOKIE = "actor"


def desk(request: Request) -> Desk:
    """Return the desk that opens acts."""
    found: Desk = request.app.state.desk
    return found


def pull_desk(request: Request) -> PullDesk:
    """Return the desk for what needs git."""
    found: PullDesk = request.app.state.pull_desk
    return found


async def everyone(request: Request) -> Sequence[Account]:
    """Return who can be chosen, people first."""
    async with desk(request).store.transaction() as tx:
        return await people.everyone(tx)


def chosen(request: Request, accounts: Sequence[Account]) -> Account | None:
    """Return who is chosen: the account of the cookie, or the first; None while there is nobody."""
    login = unquote(request.cookies.get(COOKIE, ""))
    return next((account for account in accounts if account.login == login), accounts[0] if accounts else None)


async def viewer(request: Request) -> Account:
    """Return who looks at the page. Raises ``RefusedError`` (403) while there is nobody."""
    found = chosen(request, await everyone(request))
    if found is None:
        raise forbidden("There is no account yet.")
    return found


def remember(response: Response, login: str) -> None:
    """Let the next pages be seen by this account."""
    response.set_cookie(COOKIE, quote(login, safe=""), httponly=True, samesite="strict")
