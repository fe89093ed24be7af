"""Accounts as JSON."""

from __future__ import annotations

from base64 import b64encode

from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.values import Account

Json = dict[str, object]


def node_id(kind: str, identity: int) -> str:
    """Return the opaque id that GitHub's GraphQL interface would have for an object."""
    return b64encode(f"{kind}:{identity}".encode()).decode()


def user_json(links: Links, account: Account) -> Json:
    """Return an account as it stands inside of other things."""
    url = links.user(account.login)
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("User", account.id),
        "avatar_url": "",
        "gravatar_id": "",
        "url": url,
        "html_url": links.person_page(account.login),
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": account.kind.value,
        "user_view_type": "public",
        "site_admin": False,
    }


def organization_json(links: Links, account: Account) -> Json:
    """Return an organisation as some events tell it."""
    url = f"{links.base}/orgs/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("Organization", account.id),
        "url": url,
        "html_url": links.person_page(account.login),
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events",
        "hooks_url": f"{url}/hooks",
        "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": "",
        "description": None,
    }


def full_user_json(links: Links, account: Account) -> Json:
    """Return an account as ``/user`` answers it."""
    absent = ("company", "location", "email", "hireable", "bio", "twitter_username")
    return {
        **user_json(links, account),
        **dict.fromkeys(absent),
        "name": account.name,
        "blog": "",
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": iso(account.created_at),
        "updated_at": iso(account.created_at),
    }
