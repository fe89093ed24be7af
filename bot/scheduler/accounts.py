"""
Accounts of providers: a limit that one attempt meets pauses the account for all Work that uses it.

Live attempts go on. After the pause one Work starts, each further one ``STAGGER`` later, until an attempt shows that
the account is usable again: so a limit that is still reached costs one start, not a hundred.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.clock import Millis
from bot.domain.account import Pause, joined
from bot.domain.admission import Reason, Refused
from bot.domain.execution import Execution
from bot.domain.result import Deferral
from bot.storage.contract import Tx


def account_refusal(tx: Tx, account: str | None, now: Millis) -> Refused | None:
    """Return why Work that uses an account does not start now; the pass that releases accounts ends a pause."""
    pause = None if account is None else tx.accounts.get(account)
    if pause is None:
        return None
    if pause.released_at is None:
        until = None if pause.until is None else Millis(max(pause.until, now))
        return Refused(reason=Reason.PAUSED_ACCOUNT, detail=pause.reason, until=until)
    if pause.next_start() > now:
        return Refused(reason=Reason.PROBING, until=pause.next_start())
    return None


def pause_account(tx: Tx, execution: Execution, deferral: Deferral, *, until: Millis | None, now: Millis) -> None:
    """
    Pause the account that a deferral names, in the transaction that ends its attempt.

    An earlier end never shortens a pause. All waiting threads are shown anew.
    """
    assert deferral.account is not None  # noqa: S101 - the caller asks only for a deferral of an account
    own = deferral.account == execution.binding.account
    fresh = Pause(
        account=deferral.account,
        until=until,
        reason=deferral.reason,
        credentials=execution.binding.credentials if own else "",
        paused_at=now,
    )
    earlier = tx.accounts.get(fresh.account)
    pause = joined(earlier, fresh)
    if pause != earlier:
        tx.accounts.put(pause)
        tx.threads.touch_ready()


def account_started(tx: Tx, account: str | None, now: Millis) -> None:
    """Note, in the claim, that a Work starts on an account that was released."""
    pause = None if account is None else tx.accounts.get(account)
    if pause is not None:
        tx.accounts.put(replace(pause, probed_at=now))


def account_proven(tx: Tx, execution: Execution) -> None:
    """
    Forget the pause of an account when an attempt that began after it has ended without meeting the limit again.

    One whose run was not seen to end proves nothing, nor does one that began before.
    """
    account = execution.binding.account
    pause = None if account is None else tx.accounts.get(account)
    if pause is None or pause.released_at is None or execution.result is None:
        return
    starts = (each.started_at for each in reversed(execution.segments.kept) if not each.recovered)
    began = next(starts, execution.started_at)
    if began >= pause.released_at:
        tx.accounts.remove(pause.account)
        tx.threads.touch_ready()


def release_accounts(tx: Tx, credentials: Mapping[str, str], now: Millis) -> tuple[str, ...]:
    """
    End each pause whose time has come or whose credentials have changed, and return the accounts.

    ``credentials`` are the digests in force, by account.
    """
    over = [each for each in tx.accounts.all() if each.released_at is None]
    over = [each for each in over if each.over(credentials.get(each.account), now)]
    for pause in over:
        tx.accounts.put(replace(pause, released_at=now))
    if over:
        tx.threads.touch_ready()
    return tuple(each.account for each in over)
