"""Repositories, labels and permissions as JSON."""

from __future__ import annotations

from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.people import Json, node_id, user_json
from bot.trackers.embedded.values import Account, Label, Repository, Role

_PATHS = {
    "archive_url": "{archive_format}{/ref}",
    "assignees_url": "assignees{/user}",
    "blobs_url": "git/blobs{/sha}",
    "branches_url": "branches{/branch}",
    "collaborators_url": "collaborators{/collaborator}",
    "comments_url": "comments{/number}",
    "commits_url": "commits{/sha}",
    "compare_url": "compare/{base}...{head}",
    "contents_url": "contents/{+path}",
    "contributors_url": "contributors",
    "deployments_url": "deployments",
    "downloads_url": "downloads",
    "events_url": "events",
    "forks_url": "forks",
    "git_commits_url": "git/commits{/sha}",
    "git_refs_url": "git/refs{/sha}",
    "git_tags_url": "git/tags{/sha}",
    "hooks_url": "hooks",
    "issue_comment_url": "issues/comments{/number}",
    "issue_events_url": "issues/events{/number}",
    "issues_url": "issues{/number}",
    "keys_url": "keys{/key_id}",
    "labels_url": "labels{/name}",
    "languages_url": "languages",
    "merges_url": "merges",
    "milestones_url": "milestones{/number}",
    "notifications_url": "notifications{?since,all,participating}",
    "pulls_url": "pulls{/number}",
    "releases_url": "releases{/id}",
    "stargazers_url": "stargazers",
    "statuses_url": "statuses/{sha}",
    "subscribers_url": "subscribers",
    "subscription_url": "subscription",
    "tags_url": "tags",
    "teams_url": "teams",
    "trees_url": "git/trees{/sha}",
}
_ZEROS = ("forks_count", "stargazers_count", "watchers_count", "size", "forks", "watchers")
_NOS = (
    "fork",
    "has_projects",
    "has_wiki",
    "has_pages",
    "has_discussions",
    "has_downloads",
    "archived",
    "disabled",
    "allow_rebase_merge",
)
_RIGHTS = {
    "admin": Role.ADMIN,
    "maintain": Role.MAINTAIN,
    "push": Role.WRITE,
    "triage": Role.TRIAGE,
    "pull": Role.READ,
}


def repository_json(links: Links, repository: Repository) -> Json:
    """Return a repository as it stands inside of other things."""
    url = links.api(repository)
    return {
        "id": repository.id,
        "node_id": node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.private,
        "visibility": "private" if repository.private else "public",
        "owner": user_json(links, repository.owner),
        "html_url": links.page(repository),
        "url": url,
        **{name: f"{url}/{path}" for name, path in _PATHS.items()},
        "clone_url": links.clone(repository),
        "git_url": links.clone(repository),
        "ssh_url": links.clone(repository),
        "svn_url": links.page(repository),
        "mirror_url": None,
        "homepage": None,
        "description": None,
        "language": None,
        "license": None,
        "topics": [],
        **dict.fromkeys(_ZEROS, 0),
        **dict.fromkeys(_NOS, False),
        "has_issues": True,
        "is_template": False,
        "allow_forking": False,
        "web_commit_signoff_required": False,
        "open_issues_count": repository.open_threads,
        "open_issues": repository.open_threads,
        "default_branch": repository.default_branch,
        "created_at": iso(repository.created_at),
        "updated_at": iso(repository.created_at),
        "pushed_at": iso(repository.created_at),
    }


def full_repository_json(links: Links, repository: Repository, role: Role) -> Json:
    """Return a repository as its own address answers it, to someone with ``role`` there."""
    return {
        **repository_json(links, repository),
        "permissions": _rights(role),
        "allow_squash_merge": True,
        "allow_merge_commit": True,
        "allow_auto_merge": False,
        "delete_branch_on_merge": False,
        "subscribers_count": 0,
        "network_count": 0,
    }


def permission_json(links: Links, account: Account, role: Role) -> Json:
    """Return what an account may do in a repository."""
    user = {**user_json(links, account), "permissions": _rights(role), "role_name": role.value}
    return {"permission": role.legacy(), "role_name": role.value, "user": user}


def _rights(role: Role) -> dict[str, bool]:
    return {right: role.allows(needed) for right, needed in _RIGHTS.items()}


def label_json(links: Links, repository: Repository, label: Label) -> Json:
    """Return a label."""
    return {
        "id": label.id,
        "node_id": node_id("Label", label.id),
        "url": links.api(repository, "labels", label.name),
        "name": label.name,
        "color": label.color,
        "default": False,
        "description": label.description,
        "archived_at": None,
        "archived_by": None,
    }
