"""What the doctor looks for at the tracker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from http import HTTPStatus

from bot.clock import MINUTE, SECOND, Clock
from bot.errors import TrackerError
from bot.playbook.playbook import Playbook
from bot.setup.finding import Finding, Severity, error, fine, warning
from bot.trackers.inspection import Attempt, Hook, Inspector

HOOK_PATH = "/webhooks/github"
EVENTS = frozenset({"issues", "issue_comment", "pull_request", "pull_request_review"})
"""What a webhook has to tell for answers within seconds; the rest only hastens what the sweep finds."""
MOST_SKEW = MINUTE
_APP = "[bot]"
_FEW = 0.1
_TIMEOUT = 504


async def credentials(inspector: Inspector, clock: Clock, *, by_app: bool = False) -> AsyncIterator[Finding]:
    """Look whether the token, or the key of an App, is valid, whose it is, and what came with the answer."""
    try:
        before = clock.now()
        account = await inspector.account()
        after = clock.now()
    except TrackerError as fault:
        if fault.status == HTTPStatus.UNAUTHORIZED:
            yield _not_taken(by_app=by_app)
        else:
            yield error("credentials", str(fault), "look at tracker.url, and at the network of this machine")
        return
    yield fine("credentials", f"the bot is {account.login}")
    if account.login.endswith(_APP):
        text = "the bot is an App, and no team is notified when its comments mention one"
        yield fine("mentions", f"{text}; name people where somebody has to look")
    if account.version:
        yield fine("tracker", f"GitHub Enterprise Server {account.version}")
    there = account.tracker_time
    if there is not None:
        # The tracker tells whole seconds, and told them somewhere between the two.
        apart = max(before - (there + SECOND), there - after, 0)
        if apart > MOST_SKEW:
            text = f"the clock of this machine is {apart // SECOND} s off the tracker's"
            yield error("clock", text, "set it by NTP: approvals are compared by time")
        else:
            yield fine("clock", "it agrees with the tracker's")
    if account.limit and account.remaining is not None:
        text = f"{account.remaining} of {account.limit} requests are left"
        if account.remaining < _FEW * account.limit:
            yield warning("quota", text, "wait for the next hour, or raise settings.sweep")
        else:
            yield fine("quota", text)


def refused(findings: Sequence[Finding]) -> bool:
    """Return whether the credentials were not good enough to ask anything more."""
    return any(each.check == "credentials" and each.severity is Severity.ERROR for each in findings)


def _not_taken(*, by_app: bool) -> Finding:
    if by_app:
        cure = "tracker.app_id and the key must be of the same App; make a new private key in the App's settings"
        return error("credentials", "the tracker does not take the App's key (401)", cure)
    cure = "make a new token, and set TRACKSIDE_TOKEN or run trackside init --token --force"
    return error("credentials", "the tracker does not take the token (401)", cure)


async def repository(
    inspector: Inspector, name: str, playbooks: Sequence[Playbook], url: str = ""
) -> AsyncIterator[Finding]:
    """Look whether the bot can work in a repository: permissions, webhooks, labels."""
    try:
        if not await inspector.may_push(name):
            cure = "give the bot's account write access to it, and the token Contents: read and write"
            yield error("repository", f"the bot may not write to {name}", cure)
            return
        yield fine("repository", f"the bot may write to {name}")
        for lack in await inspector.lacking(name):
            text = f"{name}: the permission {lack.permission} is missing"
            yield error("permission", text, f"give the token {lack.permission}: {lack.level}")
        async for finding in _hooks(inspector, name, url):
            yield finding
        for finding in labels(name, await inspector.labels(name), playbooks):
            yield finding
    except TrackerError as fault:
        if fault.status == HTTPStatus.NOT_FOUND:
            cure = "look at its name, and whether the token was made for it"
            yield error("repository", f"the token does not see {name}", cure)
        else:
            yield error("repository", f"{name}: {fault}", "try again later, or look at the token")


async def _hooks(inspector: Inspector, name: str, url: str) -> AsyncIterator[Finding]:
    found = await inspector.hooks(name)
    if found is None:
        yield fine("webhook", f"{name}: the token may not see webhooks; the bot looks for itself all the same")
        return
    like = [hook for hook in found if hook.active and hook.url.rstrip("/").endswith(HOOK_PATH)]
    own = url.rstrip("/").removesuffix(HOOK_PATH) + HOOK_PATH
    ours = [hook for hook in like if not url or hook.url.rstrip("/") == own]
    if others := len(like) - len(ours):
        yield fine("webhook", f"{name}: {others} more send to {HOOK_PATH} at another address than {own}")
    if ours and not url:
        yield fine("webhook", f"{name}: known by {HOOK_PATH} at its end; --url says the bot's whole address")
    if not ours:
        yield fine("webhook", f"{name}: none; the bot looks for itself every settings.sweep")
    if len(ours) > 1:
        text = f"{name}: {len(ours)} webhooks send to {HOOK_PATH}, so all is told twice"
        yield warning("webhook", text, "delete all but one")
    for hook in ours:
        yield events(name, hook)
        for finding in arriving(name, await inspector.attempts(name, hook.id)):
            yield finding


def events(name: str, hook: Hook) -> Finding:
    """Look whether a webhook tells what the bot waits for."""
    missing = () if "*" in hook.events else sorted(EVENTS - set(hook.events))
    if missing:
        text = f"{name}: the webhook does not send {', '.join(missing)}"
        return warning("event", text, "add them in the webhook's settings")
    return fine("event", f"{name}: the webhook sends what is needed")


def arriving(name: str, attempts: Sequence[Attempt]) -> list[Finding]:
    """Look at how the latest deliveries were answered; the newest that says something counts."""
    if not attempts:
        return [fine("delivery", f"{name}: nothing was sent yet")]
    status = attempts[0].status
    again = "then choose Redeliver at the failed ones, or let the sweep find what they told"
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return [fine("delivery", f"{name}: the latest delivery arrived")]
    if status == HTTPStatus.UNAUTHORIZED:
        text = f"{name}: the latest delivery was refused with 401: the webhook's secret is another one than the bot's"
        return [error("delivery", text, f"set the same secret at both ends; {again}")]
    if status <= 0 or status >= _TIMEOUT or status in {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE}:
        text = f"{name}: the latest delivery did not arrive ({status or 'no answer'})"
        return [error("delivery", text, f"start the bot, and look at the proxy and the webhook's address; {again}")]
    text = f"{name}: the latest delivery was answered with {status}"
    return [error("delivery", text, f"look for it in docs/errors.md, under deliveries of the webhook; {again}")]


def labels(name: str, there: Sequence[str], playbooks: Sequence[Playbook]) -> list[Finding]:
    """Look for labels of playbooks that the tracker has in other letters; too long ones no playbook may have."""
    wanted = {status.label for playbook in playbooks for status in playbook.statuses.values() if status.label}
    wanted |= {playbook.on.label for playbook in playbooks if playbook.on is not None and playbook.on.label}
    by_letters = {label.lower(): label for label in there}
    found = []
    for label in sorted(wanted):
        other = by_letters.get(label.lower(), label)
        if other != label:
            text = f"{name}: the label {label!r} is there as {other!r}"
            found.append(warning("label", text, "rename it in the repository, or in the playbook"))
    return found or [fine("label", f"{name}: all names can be used")]
