"""Assignees of threads. Whom nobody can assign, such as an App or a person who may not write, is left out unsaid."""

from __future__ import annotations

from collections.abc import Iterable

from bot.trackers.embedded import people
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import announce, find_thread
from bot.trackers.embedded.faults import RefusedError
from bot.trackers.embedded.repositories import require, role_of
from bot.trackers.embedded.shapes.people import user_json
from bot.trackers.embedded.values import Account, AccountKind, Repository, Role, Thread


async def assign(act: Act, repository: Repository, number: int, logins: Iterable[str]) -> Thread:
    """Assign accounts beside those that are assigned. Raises ``RefusedError`` (403, 404)."""
    await require(act, repository, Role.TRIAGE)
    thread = await find_thread(act, repository, number)
    for login in logins:
        account = await _assignable(act, repository, login)
        if account is not None and await act.tx.run("thread_assignee_put", thread=thread.id, account=account.id):
            await _tell(act, repository, thread, "assigned", account)
    return await find_thread(act, repository, number)


async def unassign(act: Act, repository: Repository, number: int, logins: Iterable[str]) -> Thread:
    """Take accounts off; those that are not assigned are left out. Raises ``RefusedError`` (403, 404)."""
    await require(act, repository, Role.TRIAGE)
    thread = await find_thread(act, repository, number)
    unwanted = {login.lower() for login in logins}
    for account in thread.assignees:
        if account.login.lower() in unwanted:
            await act.tx.run("thread_assignee_delete", thread=thread.id, account=account.id)
            await _tell(act, repository, thread, "unassigned", account)
    return await find_thread(act, repository, number)


async def _assignable(act: Act, repository: Repository, login: str) -> Account | None:
    try:
        account = await people.find(act.tx, login)
    except RefusedError:
        return None
    writes = (await role_of(act, repository, account)).allows(Role.WRITE)
    return account if writes and account.kind is AccountKind.USER else None


async def _tell(act: Act, repository: Repository, thread: Thread, action: str, account: Account) -> None:
    await act.tx.run("thread_touch", id=thread.id, now=act.now)
    await announce(act, repository, thread.number, action, {"assignee": user_json(act.links, account)})
