"""What the doctor looks for where the bot is a GitHub App: at the App itself, and at each of its installations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from bot.errors import TrackerError
from bot.host.config import Config
from bot.playbook.playbook import Playbook
from bot.setup.finding import Finding, error, fine, warning
from bot.setup.remote import HOOK_PATH, arriving, labels
from bot.trackers.inspection import App, AppHook, AppInspector, Installation

_OWN = "the App's own settings"


async def registered(inspector: AppInspector, config: Config, url: str) -> AsyncIterator[Finding]:
    """Look whether the App asks for what the bot needs, and sends what happens to the bot and nobody else."""
    try:
        for finding in asks_for(await inspector.app(), polls=config.polls):
            yield finding
        hook = await inspector.app_hook()
        for finding in webhook(hook, config, url):
            yield finding
        if hook is not None and hook.url and not config.polls:
            for finding in arriving("the App", await inspector.app_attempts()):
                yield finding
    except TrackerError as fault:
        yield error("credentials", str(fault), "try again later, or look at the App's settings")


def asks_for(app: App, *, polls: bool = False) -> list[Finding]:
    """Look at the permissions that an App is registered with, and at its events unless the bot ``polls``."""
    found = [
        error(
            "permission",
            f"the App does not ask for {lack.permission}: {lack.level}",
            f"choose it under Permissions in {_OWN}, then accept it at each installation",
        )
        for lack in app.lacking
    ]
    if app.unsent and not polls:
        text = f"the App is not subscribed to {', '.join(app.unsent)}"
        found.append(warning("event", text, f"choose them under Subscribe to events in {_OWN}"))
    return found or [fine("permission", f"{app.slug} asks for all that is needed")]


def webhook(hook: AppHook | None, config: Config, url: str) -> list[Finding]:
    """Look where an App sends what happens, and whether that can be verified."""
    if config.polls:
        return [fine("webhook", "deliveries are not taken: the bot polls")]
    if hook is None or not hook.url:
        text = "the App has no webhook, so nothing arrives; the bot looks for itself every settings.sweep"
        cure = f"set a webhook URL that ends with {HOOK_PATH} in {_OWN}"
        return [warning("webhook", text, cure)]
    own = url.rstrip("/").removesuffix(HOOK_PATH) + HOOK_PATH
    there = hook.url.rstrip("/")
    if not there.endswith(HOOK_PATH) or (url and there != own):
        cure = f"set the webhook URL to {own if url else f'an address that ends with {HOOK_PATH}'} in {_OWN}"
        return [error("webhook", f"the App sends to {hook.url}", cure)]
    if not hook.signed:
        text = "the App has no webhook secret, so every delivery is refused"
        return [error("webhook", text, f"set one of TRACKSIDE_WEBHOOK_SECRETS in {_OWN}")]
    return [fine("webhook", f"the App sends to {hook.url}, signed")]


async def repository(inspector: AppInspector, name: str, playbooks: Sequence[Playbook]) -> AsyncIterator[Finding]:
    """Look whether the App may work in a repository; what the App does not ask for is said of the App only."""
    try:
        installation = await inspector.installation(name)
        if installation is None:
            cure = "look at its name; install the App on its account, or add the repository to the installation there"
            yield error("installation", f"the App is not installed on {name}, or there is no such repository", cure)
            return
        if installation.suspended:
            cure = f"its owner ends that in the settings of their Apps{_at(installation)}"
            yield error("installation", f"{name}: the installation on {installation.owner} is suspended", cure)
            return
        yield fine("installation", f"{name}: number {installation.id}, on {installation.owner}")
        for finding in accepted(name, installation, await inspector.app()):
            yield finding
        for finding in labels(name, await inspector.labels(name), playbooks):
            yield finding
    except TrackerError as fault:
        yield error("repository", f"{name}: {fault}", "try again later, or look at the installation")


def accepted(name: str, installation: Installation, app: App) -> list[Finding]:
    """Look for what an App asks for and the owner of an account has not accepted yet."""
    cure = f"let {installation.owner} accept the App's new permissions{_at(installation)}"
    found = [
        error("permission", f"{name}: {lack.permission}: {lack.level} is not accepted yet", cure)
        for lack in installation.lacking
        if lack not in app.lacking
    ]
    unsent = [each for each in installation.unsent if each not in app.unsent]
    if unsent:
        text = f"{name}: {', '.join(unsent)} is not sent for this installation yet"
        found.append(warning("event", text, cure))
    return found or [fine("permission", f"{name}: all that the App asks for is accepted")]


def _at(installation: Installation) -> str:
    return f", at {installation.url}" if installation.url else ""
