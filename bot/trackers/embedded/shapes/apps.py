"""Apps and their installations as JSON."""

from __future__ import annotations

from bot.trackers.embedded.apps import App, Keys
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.people import Json, node_id, user_json
from bot.trackers.embedded.values import AccountKind, Hook, Installation, Repository


def app_json(links: Links, app: App) -> Json:
    """Return an App as it sees itself."""
    return {
        "id": app.id,
        "slug": app.slug,
        "node_id": node_id("Integration", app.id),
        "client_id": app.client_id,
        "owner": user_json(links, app.owner),
        "name": app.name,
        "description": app.description,
        "external_url": app.external_url,
        "html_url": f"{links.base}/apps/{app.slug}",
        "created_at": iso(app.created_at),
        "updated_at": iso(app.updated_at),
        "permissions": dict(app.permissions),
        "events": list(app.events),
        "installations_count": app.installations,
    }


def conversion_json(links: Links, app: App, keys: Keys) -> Json:
    """Return an App with what is told once."""
    return {
        **app_json(links, app),
        "client_secret": keys.client_secret,
        "webhook_secret": keys.webhook_secret,
        "pem": keys.pem,
    }


def installation_json(links: Links, installation: Installation) -> Json:
    """Return an installation."""
    account = installation.account
    organization = account.kind is AccountKind.ORGANIZATION
    settings = f"organizations/{account.login}/settings" if organization else "settings"
    api = f"{links.base}/app/installations/{installation.id}"
    suspender = installation.suspended_by
    return {
        "id": installation.id,
        "client_id": installation.client_id,
        "account": user_json(links, account),
        "repository_selection": installation.selection,
        "access_tokens_url": f"{api}/access_tokens",
        "repositories_url": f"{links.base}/installation/repositories",
        "html_url": f"{links.base}/{settings}/installations/{installation.id}",
        "app_id": installation.app_id,
        "app_slug": installation.app_slug,
        "target_id": account.id,
        "target_type": account.kind.value,
        "permissions": dict(installation.permissions),
        "events": list(installation.events),
        "created_at": iso(installation.created_at),
        "updated_at": iso(installation.updated_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None if suspender is None else user_json(links, suspender),
        "suspended_at": iso(installation.suspended_at),
    }


def named_repository_json(repository: Repository) -> Json:
    """Return a repository as the events of installations name it."""
    return {
        "id": repository.id,
        "node_id": node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.private,
    }


def hook_config_json(hook: Hook) -> Json:
    """Return where the events of an App go; its secret never leaves the tracker."""
    shape: Json = {"content_type": "json", "insecure_ssl": "0", "url": hook.url}
    return {**shape, "secret": "********"} if hook.secret else shape
