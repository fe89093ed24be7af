"""Teams as JSON."""

from __future__ import annotations

from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.people import Json, node_id, organization_json
from bot.trackers.embedded.teams import Team


def team_json(links: Links, team: Team) -> Json:
    """Return a team as its own address answers it."""
    owner, url = team.organization, _url(links, team)
    organization = {
        **organization_json(links, owner),
        "has_organization_projects": False,
        "has_repository_projects": False,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": iso(owner.created_at),
        "updated_at": iso(owner.created_at),
        "archived_at": None,
        "type": owner.kind.value,
    }
    return {
        "id": team.id,
        "node_id": node_id("Team", team.id),
        "url": url,
        "html_url": f"{links.base}/orgs/{owner.login}/teams/{team.slug}",
        "name": team.name,
        "slug": team.slug,
        "type": "organization",
        "description": None,
        "privacy": "closed",
        "notification_setting": "notifications_enabled",
        "permission": "pull",
        "members_url": f"{url}/members{{/member}}",
        "repositories_url": f"{url}/repos",
        "parent": None,
        "members_count": team.members,
        "repos_count": 0,
        "created_at": iso(team.created_at),
        "updated_at": iso(team.created_at),
        "organization": organization,
    }


def membership_json(links: Links, team: Team, login: str) -> Json:
    """Return the membership of an account that is in a team."""
    return {"url": f"{_url(links, team)}/memberships/{login}", "role": "member", "state": "active"}


def _url(links: Links, team: Team) -> str:
    return f"{links.base}/organizations/{team.organization.id}/team/{team.id}"
