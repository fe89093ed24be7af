"""Pull requests over REST, on real git repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from bot.trackers.embedded.faults import RefusedError
from tests.trackers.embedded.conftest import REPO, World

PULLS = f"/repos/{REPO}/pulls"


def git(directory: str | Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
async def directory(bot: httpx.AsyncClient) -> Path:
    """Where the repository lies, as REST tells it."""
    return Path(urlsplit((await bot.get(f"/repos/{REPO}")).json()["clone_url"]).path)


@pytest.fixture
async def head(world: World) -> str:
    """Open a pull request for a branch that changes, adds and deletes a file; return the branch's tip."""
    files = {"src/cart.py": "total = 1\n", "docs/new file.md": "# New\n", "README.md": None}
    sha = await world.tracker.commit(REPO, "fix", files, by="trackside[bot]")
    await world.tracker.open_pull(REPO, by="trackside[bot]", title="Fix the cart", head="fix", body="Closes #9")
    await world.told()
    return sha


async def test_a_pull_request_is_opened_once_for_its_branches(world: World, bot: httpx.AsyncClient) -> None:
    sha = await world.tracker.commit(REPO, "fix", {"a": "b"}, by="trackside[bot]")
    document = {"title": "Fix", "head": "fix", "base": "main", "body": "text", "draft": True}

    created = await bot.post(PULLS, json=document)
    again = await bot.post(PULLS, json={**document, "head": "acme:fix"})

    assert created.status_code == 201
    pull = created.json()
    assert (pull["head"]["sha"], pull["head"]["label"], pull["draft"]) == (sha, "acme:fix", True)
    assert (pull["commits"], pull["additions"], pull["changed_files"], pull["mergeable"]) == (1, 1, 1, True)
    assert again.status_code == 422
    assert again.json()["errors"][0]["message"] == "A pull request already exists for acme:fix."
    assert await world.told() == ["pull_request.opened"]
    assert world.receiver.received[0].payload["pull_request"]["merged"] is False


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"head": "nowhere"}, "head"),
        ({"base": "nowhere"}, "base"),
        ({"head": "main"}, "head"),
        ({"title": ""}, "title"),
    ],
)
async def test_what_cannot_be_proposed_is_refused(
    world: World, bot: httpx.AsyncClient, change: dict[str, str], field: str
) -> None:
    await world.tracker.commit(REPO, "fix", {"a": "b"}, by="ben")

    refused = await bot.post(PULLS, json={"title": "Fix", "head": "fix", "base": "main", **change})

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field)


@pytest.mark.usefixtures("head")
async def test_a_pull_request_is_an_issue_too(bot: httpx.AsyncClient) -> None:
    issue = (await bot.get(f"/repos/{REPO}/issues/1")).json()

    assert issue["pull_request"]["url"].endswith(f"{PULLS}/1")
    assert issue["html_url"].endswith(f"/{REPO}/pull/1")
    assert [each["number"] for each in (await bot.get(f"/repos/{REPO}/issues")).json()] == [1]


async def test_pull_requests_are_found_by_their_branch(world: World, head: str, bot: httpx.AsyncClient) -> None:
    await world.tracker.close(REPO, 1, by="ada")

    async def found(**query: str) -> list[str]:
        return [each["head"]["sha"] for each in (await bot.get(PULLS, params=query)).json()]

    assert await found(head="acme:fix", state="all") == [head]
    assert await found(head="acme:fix") == []
    assert await found(head="acme:other", state="all") == []
    assert await found(head="elsewhere:fix", state="all") == []


@pytest.mark.usefixtures("head")
async def test_the_diff_and_the_files_are_those_of_git(bot: httpx.AsyncClient) -> None:
    diff = await bot.get(f"{PULLS}/1", headers={"Accept": "application/vnd.github.diff"})
    files = (await bot.get(f"{PULLS}/1/files")).json()

    assert diff.headers["content-type"].startswith("application/vnd.github.diff")
    assert "-total = 0\n+total = 1\n" in diff.text
    assert [(each["filename"], each["status"], each["additions"], each["deletions"]) for each in files] == [
        ("README.md", "removed", 0, 1),
        ("docs/new file.md", "added", 1, 0),
        ("src/cart.py", "modified", 1, 1),
    ]
    assert files[2]["patch"] == "@@ -1 +1 @@\n-total = 0\n+total = 1"


async def test_a_renamed_and_a_binary_file_are_listed(world: World, bot: httpx.AsyncClient) -> None:
    files = {"README.md": None, "READ ME.md": "# Shop\n", "logo.bin": "\x00\x01"}
    await world.tracker.commit(REPO, "move", files, by="ben")
    await world.tracker.open_pull(REPO, by="ben", title="Move", head="move")

    found = (await bot.get(f"{PULLS}/1/files")).json()

    assert [(each["filename"], each["status"]) for each in found] == [("READ ME.md", "renamed"), ("logo.bin", "added")]
    assert found[0]["previous_filename"] == "README.md"
    assert "patch" not in found[1]


async def test_a_push_is_noticed_at_the_next_look(
    world: World, head: str, bot: httpx.AsyncClient, directory: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--branch=fix", str(directory), str(clone))
    (clone / "more.txt").write_text("more\n")
    git(clone, "add", ".")
    git(clone, "-c", "user.name=Bot", "-c", "user.email=bot@localhost", "commit", "--quiet", "-m", "More")
    git(clone, "push", "--quiet", "origin", "fix")
    pushed = git(clone, "rev-parse", "HEAD").strip()

    pull = (await bot.get(f"{PULLS}/1")).json()

    assert (pull["head"]["sha"], pull["commits"], pull["changed_files"]) == (pushed, 2, 4)
    assert await world.told() == ["pull_request.synchronize"]
    payload = world.receiver.received[0].payload
    assert (payload["before"], payload["after"]) == (head, pushed)
    assert await world.tracker.refresh(REPO) == 0
    assert await world.told() == []
    assert git(directory, "rev-parse", "refs/pull/1/head").strip() == pushed


async def test_a_merge_is_made_by_git_and_closes_what_it_says(
    world: World, bot: httpx.AsyncClient, directory: Path
) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="Cart is empty")
    await world.tracker.open_issue(REPO, by="ada", title="Only mentioned")
    head = await world.tracker.commit(REPO, "fix", {"src/cart.py": "total = 1\n"}, by="ben")
    await world.tracker.open_pull(REPO, by="ben", title="Fix", head="fix", body="Fixes #1, not `closes #2`.")
    await world.told()

    merged = await bot.put(f"{PULLS}/3/merge", json={"sha": head})

    assert (merged.status_code, merged.json()["merged"]) == (200, True)
    sha = merged.json()["sha"]
    assert git(directory, "rev-parse", "main").strip() == sha
    assert git(directory, "rev-list", "--parents", "-n1", "main").split()[2] == head
    assert git(directory, "show", "main:src/cart.py") == "total = 1\n"
    assert await world.told() == ["pull_request.closed", "issues.closed"]
    assert world.receiver.received[0].payload["pull_request"]["merged"] is True
    events = (await bot.get(f"/repos/{REPO}/issues/3/events")).json()
    assert [(event["event"], event["commit_id"]) for event in events] == [("merged", sha), ("closed", sha)]
    assert [(await world.tracker.thread(REPO, number)).open for number in (1, 2)] == [False, True]
    files = (await bot.get(f"{PULLS}/3/files")).json()
    assert [each["filename"] for each in files] == ["src/cart.py"], "the diff stays what it was"


async def test_a_squash_has_one_parent(head: str, bot: httpx.AsyncClient, directory: Path) -> None:
    document = {"merge_method": "squash", "commit_title": "Fix it", "sha": head}

    merged = await bot.put(f"{PULLS}/1/merge", json=document)

    assert merged.status_code == 200
    assert len(git(directory, "rev-list", "--parents", "-n1", "main").split()) == 2
    assert git(directory, "log", "-1", "--format=%s", "main").strip() == "Fix it"


@pytest.mark.usefixtures("head")
async def test_a_conflict_is_seen_and_not_merged(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.commit(REPO, "main", {"src/cart.py": "total = 2\n"}, by="ben")

    pull = (await bot.get(f"{PULLS}/1")).json()
    refused = await bot.put(f"{PULLS}/1/merge")

    assert (pull["mergeable"], pull["mergeable_state"]) == (False, "dirty")
    assert refused.status_code == 405
    assert (await world.tracker.thread(REPO, 1)).open


async def test_a_head_that_moved_is_not_merged_unseen(world: World, head: str, bot: httpx.AsyncClient) -> None:
    await world.tracker.commit(REPO, "fix", {"surprise": "!"}, by="ben")

    refused = await bot.put(f"{PULLS}/1/merge", json={"sha": head})

    assert refused.status_code == 409


@pytest.mark.usefixtures("head")
async def test_merging_needs_write_access_and_happens_once(world: World) -> None:
    with pytest.raises(RefusedError) as forbidden:
        await world.tracker.merge(REPO, 1, by="cleo")
    await world.tracker.merge(REPO, 1, by="ben")
    with pytest.raises(RefusedError) as again:
        await world.tracker.merge(REPO, 1, by="ben")

    assert (forbidden.value.status, again.value.status) == (403, 405)


async def test_a_draft_is_made_ready_before_it_is_merged(world: World) -> None:
    await world.tracker.commit(REPO, "fix", {"a": "b"}, by="ben")
    await world.tracker.open_pull(REPO, by="ben", title="Fix", head="fix", draft=True)
    with pytest.raises(RefusedError) as refused:
        await world.tracker.merge(REPO, 1, by="ben")
    await world.told()

    await world.tracker.ready(REPO, 1, by="ben")

    assert refused.value.status == 405
    assert await world.told() == ["pull_request.ready_for_review"]
    assert (await world.tracker.merge(REPO, 1, by="ben")).merged_at is not None


@pytest.mark.usefixtures("head")
async def test_an_update_and_a_label_are_told_as_the_pull_requests(world: World, bot: httpx.AsyncClient) -> None:
    await bot.patch(f"{PULLS}/1", json={"title": "Better", "body": "Closes #4"})
    await bot.post(f"/repos/{REPO}/issues/1/labels", json={"labels": ["state:review"]})
    await bot.patch(f"{PULLS}/1", json={"state": "closed"})

    assert await world.told() == ["pull_request.edited", "pull_request.labeled", "pull_request.closed"]
    assert world.receiver.received[0].payload["changes"] == {
        "title": {"from": "Fix the cart"},
        "body": {"from": "Closes #9"},
    }


async def test_reviews_are_submitted_on_the_head_and_dismissed(world: World, head: str, bot: httpx.AsyncClient) -> None:
    ben = await world.client("ben")

    review = (await ben.post(f"{PULLS}/1/reviews", json={"event": "REQUEST_CHANGES", "body": "No."})).json()
    dismissed = await ben.put(f"{PULLS}/1/reviews/{review['id']}/dismissals", json={"message": "Yes."})

    assert (review["state"], review["commit_id"]) == ("CHANGES_REQUESTED", head)
    assert dismissed.json()["state"] == "DISMISSED"
    assert [each["id"] for each in (await bot.get(f"{PULLS}/1/reviews")).json()] == [review["id"]]
    assert (await bot.get(f"{PULLS}/1/reviews/{review['id']}")).json()["state"] == "DISMISSED"
    assert await world.told() == ["pull_request_review.submitted", "pull_request_review.dismissed"]
    assert [each.payload["review"]["state"] for each in world.receiver.received] == ["changes_requested", "dismissed"]


@pytest.mark.usefixtures("head")
@pytest.mark.parametrize(
    ("login", "document", "status"),
    [
        ("trackside[bot]", {"event": "APPROVE"}, 422),
        ("trackside[bot]", {"event": "REQUEST_CHANGES", "body": "no"}, 422),
        ("trackside[bot]", {"event": "COMMENT", "body": "a note"}, 200),
        ("ben", {"event": "APPROVE"}, 200),
        ("ben", {"event": "COMMENT"}, 422),
        ("ben", {"event": "PERHAPS"}, 422),
        ("ben", {}, 422),
    ],
)
async def test_who_may_say_what_in_a_review(world: World, login: str, document: dict[str, str], status: int) -> None:
    client = await world.client(login)

    assert (await client.post(f"{PULLS}/1/reviews", json=document)).status_code == status
