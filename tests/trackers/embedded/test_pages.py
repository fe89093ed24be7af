"""The pages for people: what they show, what their forms do, and what they refuse."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.trackers.embedded.conftest import BASE, REPO, World

OWN_PAGE = {"Origin": BASE}
ISSUES = f"/{REPO}/issues"


@pytest.fixture
async def browser(world: World) -> httpx.AsyncClient:
    """Open the pages as ada, who is the first account."""
    client = await world.client(None)
    client.follow_redirects = True
    client.headers.update(OWN_PAGE)
    return client


def text_of(page: httpx.Response) -> str:
    """Return the words that a reader sees, in their order."""
    body = re.sub(r"<(style|head)\b.*?</\1>", " ", page.text, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


async def test_the_way_leads_from_the_repositories_to_a_thread(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="Cart is empty", labels=["bug"])

    home = await browser.get("/")
    assert f'href="{ISSUES}"' in home.text
    listed = await browser.get(ISSUES)
    assert f'href="{ISSUES}/1"' in listed.text
    assert "Cart is empty bug" in text_of(listed)
    assert (await browser.get(f"{ISSUES}/1")).status_code == 200


async def test_what_people_write_is_shown_as_text(world: World, browser: httpx.AsyncClient) -> None:
    script = "<script>alert(1)</script>"
    await world.tracker.open_issue(REPO, by="cleo", title=script, body=f"{script}\n\n<img src=x onerror=alert(2)>")
    await world.tracker.comment(REPO, 1, f"hello {script} [x](javascript:alert(3))", by="cleo")
    await world.tracker.label(REPO, 1, "<b>bold</b>", by="ada")

    for address in (ISSUES, f"{ISSUES}/1", f"{ISSUES}/new"):
        page = await browser.get(address)
        assert page.status_code == 200
        assert not re.search(r"<script(?! src=\"/static/live.js\" defer)", page.text)
        assert not re.search(r"<img|<b>|href=\"javascript", page.text)
    assert text_of(await browser.get(f"{ISSUES}/1")).count("&lt;script&gt;alert(1)&lt;/script&gt;") == 3


async def test_a_fold_folds_and_a_marker_is_not_seen(world: World, browser: httpx.AsyncClient) -> None:
    fold = "<details><summary>More</summary>\n\n- one\n\n</details>"
    body = f"<!-- trackside:status -->\n**Queued**\n\n{fold}\n\n<sub>end</sub>"
    await world.tracker.open_issue(REPO, by="ada", title="One")
    await world.tracker.comment(REPO, 1, body, by="trackside[bot]")

    page = (await browser.get(f"{ISSUES}/1")).text

    assert "<strong>Queued</strong>" in page
    assert re.search(r"<details><summary>More</summary>\s*<ul>\s*<li>one</li>\s*</ul>\s*</details>", page)
    assert "<sub>end</sub>" in page
    assert "trackside:status" not in page


async def test_the_timeline_is_in_the_order_of_time(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One", body="Opening words")
    await world.tracker.comment(REPO, 1, "First words", by="ben")
    await world.tracker.label(REPO, 1, "state:building", by="trackside[bot]")
    comment = await world.tracker.comment(REPO, 1, "Last words, see #1", by="cleo")
    await world.tracker.react_to_comment(REPO, comment.id, "eyes", by="trackside[bot]")
    await world.tracker.close(REPO, 1, by="ada")

    page = await browser.get(f"{ISSUES}/1")

    expected = ["Opening words", "First words", "bot added state:building", "Last words", "👀 1", "closed this"]
    seen = text_of(page)
    assert all(words in seen for words in expected), seen
    assert sorted(expected, key=seen.index) == expected
    assert f'<a href="{ISSUES}/1">#1</a>' in page.text


async def test_the_forms_open_comment_label_close_and_reopen(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.create_label(REPO, "bug", by="ada", color="d73a4a")
    assert 'name="label" value="bug"' in (await browser.get(f"{ISSUES}/new")).text

    opened = await browser.post(ISSUES, data={"title": "Cart", "body": "line\r\nline", "label": "bug"})
    await browser.post(f"{ISSUES}/1/comment", data={"body": "/approve"})
    await browser.post(f"{ISSUES}/1/label", data={"name": "run:work-issue"})
    await browser.post(f"{ISSUES}/1/unlabel", data={"name": "bug"})
    closed = await browser.post(f"{ISSUES}/1/close", data={"reason": "not_planned"})

    assert str(opened.url) == f"{BASE}{ISSUES}/1"
    thread = await world.tracker.thread(REPO, 1)
    assert (thread.author.login, thread.body, thread.label_names) == ("ada", "line\nline", ("run:work-issue",))
    assert (thread.open, thread.state_reason) == (False, "not_planned")
    assert "Closed as not planned" in text_of(closed)
    assert [each.body for each in await world.tracker.comments(REPO, 1)] == ["/approve"]
    assert "Open" in text_of(await browser.post(f"{ISSUES}/1/reopen"))
    assert await world.told() == [
        "issues.opened",
        "issues.labeled",
        "issue_comment.created",
        "issues.labeled",
        "issues.unlabeled",
        "issues.closed",
        "issues.reopened",
    ]


async def test_who_is_chosen_acts(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One")

    back = await browser.post("/actor", data={"login": "cleo", "back": f"{ISSUES}/1"})
    await browser.post(f"{ISSUES}/1/comment", data={"body": "as cleo"})
    refused = await browser.post(f"{ISSUES}/1/label", data={"name": "bug"})

    assert str(back.url) == f"{BASE}{ISSUES}/1"
    assert '<option value="cleo" selected>' in back.text
    assert f"{ISSUES}/1/label" not in back.text, "who may not label is not offered it"
    assert [each.author.login for each in await world.tracker.comments(REPO, 1)] == ["cleo"]
    assert (refused.status_code, "Must have triage rights" in refused.text) == (403, True)


@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example/", "/\\evil.example", ""])
async def test_the_switch_leads_to_no_other_place(browser: httpx.AsyncClient, back: str) -> None:
    answer = await browser.post("/actor", data={"login": "ben", "back": back}, follow_redirects=False)

    assert answer.headers["location"] == "/"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"{BASE}.evil.example"}, 403),
        ({"Origin": BASE, "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": BASE, "Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": BASE}, 303),
    ],
)
async def test_a_form_of_another_place_is_refused(world: World, headers: dict[str, str], status: int) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One")
    client = await world.client(None)

    answer = await client.post(f"{ISSUES}/1/close", headers=headers)

    assert answer.status_code == status
    assert (await world.tracker.thread(REPO, 1)).open == (status == 403)


async def test_a_pull_request_is_read_reviewed_and_merged(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="Cart")
    files = {"src/cart.py": "total = '<b>'\n"}
    head = await world.tracker.commit(REPO, "fix", files, by="trackside[bot]")
    await world.tracker.open_pull(REPO, by="trackside[bot]", title="Fix", head="fix", body="Closes #1", draft=True)

    page = await browser.get(f"{ISSUES}/2")
    assert str(page.url) == f"{BASE}/{REPO}/pull/2"
    assert '<div class="removed">-total = 0</div><div class="added">+total = &#39;&lt;b&gt;&#39;</div>' in page.text
    assert "Draft" in text_of(page)
    await browser.post(f"{ISSUES}/2/ready")
    await browser.post(f"{ISSUES}/2/review", data={"verdict": "REQUEST_CHANGES", "body": "Not yet", "commit": head})
    reviewed = await browser.post(f"{ISSUES}/2/review", data={"verdict": "APPROVE", "commit": head})
    assert "ada requested changes on" in text_of(reviewed)
    assert "ada approved" in text_of(reviewed)
    merged = await browser.post(f"{ISSUES}/2/merge", data={"commit": head})

    assert "Merged" in text_of(merged)
    assert "/merge" not in merged.text
    assert not (await world.tracker.thread(REPO, 1)).open


async def test_a_merge_of_what_was_not_seen_is_refused(world: World, browser: httpx.AsyncClient) -> None:
    head = await world.tracker.commit(REPO, "fix", {"a": "b"}, by="ben")
    await world.tracker.open_pull(REPO, by="ben", title="Fix", head="fix")
    await world.tracker.commit(REPO, "fix", {"a": "c"}, by="ben")

    refused = await browser.post(f"{ISSUES}/1/merge", data={"commit": head})

    assert (refused.status_code, "Head branch was modified" in refused.text) == (409, True)


async def test_the_version_changes_with_what_is_shown(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.commit(REPO, "fix", {"a": "b"}, by="ben")
    await world.tracker.open_pull(REPO, by="ben", title="Fix", head="fix")

    async def version() -> str:
        return (await browser.get(f"/version/{REPO}/1")).text

    seen = [await version()]
    assert await version() == seen[0]
    await world.tracker.comment(REPO, 1, "hello", by="ben")
    seen.append(await version())
    await world.tracker.react(REPO, 1, "eyes", by="ben")
    seen.append(await version())
    await world.tracker.commit(REPO, "fix", {"a": "c"}, by="ben")
    seen.append(await version())
    await world.tracker.commit(REPO, "main", {"other": "c"}, by="ben")
    seen.append(await version())

    assert len(set(seen)) == 5
    assert f'data-version="{seen[-1]}"' in (await browser.get(f"/{REPO}/pull/1")).text


async def test_a_page_allows_nothing_from_elsewhere(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One", labels=["bug"])

    page = await browser.get(f"{ISSUES}/1")

    policy = page.headers["Content-Security-Policy"]
    (nonce,) = re.findall(r'<style nonce="([^"]+)">', page.text)
    assert f"'nonce-{nonce}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert not re.search(r"<[^>]+\s(style|on\w+)=", page.text), "nothing inline that the policy would stop"
    for static in re.findall(r'"(/static/[^"]+)"', page.text):
        assert (await browser.get(static)).status_code == 200


async def test_a_private_repository_shows_to_its_people_only(world: World, browser: httpx.AsyncClient) -> None:
    await world.tracker.create_repository("acme", "secret", {"a": "b"}, private=True)
    await world.tracker.grant("acme/secret", "ada", "read")

    assert "acme/secret" in (await browser.get("/")).text
    await browser.post("/actor", data={"login": "cleo"})
    assert "acme/secret" not in (await browser.get("/")).text
    assert (await browser.get("/acme/secret/issues")).status_code == 404


@pytest.mark.parametrize(
    "address", ["/nothing", "/acme/nothing/issues", f"{ISSUES}/9", f"{ISSUES}/{10**30}", "/static/x"]
)
async def test_a_page_that_does_not_exist_says_so(browser: httpx.AsyncClient, address: str) -> None:
    page = await browser.get(address)

    assert (page.status_code, "Not Found" in page.text) == (404, True)
