"""``trackside init`` from its first page to its last, against a tracker that makes real Apps."""

from __future__ import annotations

import secrets
from pathlib import Path

from bot.host.config import load_config
from bot.host.secret_store import SecretStore
from bot.setup.finding import Severity
from tests.setup.init_stage import DESCRIBED, KEY, PAGES, SITE, Visit, browsing, visiting, wizard_at

HOOK = "https://bot.example.org"


async def to_the_choice(visit: Visit, **described: str) -> None:
    """Go as far as the choice of repositories."""
    await visit.open()
    await visit.post("/describe", {**DESCRIBED, **described})
    await visit.create()
    await visit.install("acme/shop", "acme/secret")


def stored(place: Path) -> dict[str, str]:
    return dict(SecretStore(place / "data", {}).read())


async def test_the_way_leads_from_the_first_page_to_a_configuration_that_is_sound(tmp_path: Path) -> None:
    """Everything that the doctor looks at is in order, and the key is that of the App."""
    async with visiting(tmp_path) as visit:
        first = await visit.open()
        assert "Make a GitHub App" in first.text
        offered = await visit.post("/describe", DESCRIBED)
        assert "Go on at tracker.test" in offered.text
        assert 'value="Trackside acme"' in (await visit.browser.get("/")).text
        waiting = await visit.create()
        assert "/apps/trackside-acme/installations/new" in waiting.text
        # The way back counts once.
        assert (await visit.browser.get(str(waiting.history[0].url))).status_code == 409
        await visit.install("acme/shop")
        choice = await visit.browser.get("/install")
        assert "acme/shop" in choice.text
        assert "acme/secret" not in choice.text
        done = await visit.post("/choose", {"repository": "acme/shop"})
        assert "The bot is ready" in done.text, done.text
        assert visit.wizard.finished.is_set()
        config = load_config(tmp_path / "trackside.toml", {})
        assert config.repositories == ("acme/shop",)
        assert visit.wizard.app is not None
        assert (config.tracker.url, config.tracker.app_id) == (SITE, visit.wizard.app.id)
        assert config.polls
        assert config.app_key.get_secret_value() == visit.wizard.app.key.strip()
        assert sorted(stored(tmp_path)) == ["TRACKSIDE_APP_KEY"]


async def test_with_an_address_the_secret_of_the_webhook_is_stored_too(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await to_the_choice(visit, hook=HOOK)
        done = await visit.post("/choose", {"repository": ["acme/shop", "acme/secret"]})
        assert done.status_code == 200
        config = load_config(tmp_path / "trackside.toml", {})
        assert config.repositories == ("acme/secret", "acme/shop")
        assert not config.polls
        assert visit.wizard.app is not None
        assert visit.wizard.app.hook == f"{HOOK}/webhooks/github"
        assert [each.get_secret_value() for each in config.secrets] == [visit.wizard.app.webhook_secret]
        # What the tracker sent meanwhile found nobody: no bot was started yet.
        await visit.tracker.deliver_pending()
        await visit.wizard.examine()
        assert "delivery" in {each.check for each in visit.wizard.findings if each.severity is Severity.ERROR}
        assert visit.wizard.sound


async def test_what_cannot_be_used_is_said_at_its_field_and_keeps_what_was_written(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.open()
        wrong = {
            "organization": "a b",
            "name": "",
            "hook": "bot.example.org",
            "tracker": "ftp://host",
        }
        for field, value in wrong.items():
            answer = await visit.post("/describe", {**DESCRIBED, "name": "Kept", field: value})
            assert answer.status_code == 422, field
            assert f'id="{field}-fault"' in answer.text
            assert field != "hook" or "Write a URL such as https://bot.example.org" in answer.text
            assert field == "name" or 'value="Kept"' in answer.text


async def test_what_others_write_is_shown_as_text(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.open()
        mark = '"><script>alert(1)</script>'
        answer = await visit.post("/describe", {**DESCRIBED, "name": mark, "organization": mark})
        assert "<script>" not in answer.text
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy


async def test_the_form_goes_to_the_site_of_the_tracker_only(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.open()
        offered = await visit.post("/describe", DESCRIBED)
        assert f"form-action 'self' {SITE};" in offered.headers["content-security-policy"]


async def test_nobody_gets_in_without_the_address_that_was_printed(tmp_path: Path) -> None:
    """The key counts once, for one browser, at this very address."""
    async with visiting(tmp_path) as visit:
        for path in ("/", "/?key=guess", "/create", "/choose", "/callback?code=x&state=y"):
            assert (await visit.browser.get(path)).status_code == 403, path
        assert (await visit.open()).status_code == 200
        visit.browser.cookies.clear()
        assert (await visit.open()).status_code == 403


async def test_another_name_or_another_site_is_turned_away(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.open()
        rebound = await visit.browser.get("/", headers={"Host": "evil.test:4711"})
        assert rebound.status_code == 403
        for headers in ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}, {}):
            answer = await visit.browser.post("/describe", data=DESCRIBED, headers=headers)
            assert answer.status_code == 403, headers
        assert visit.wizard.wishes is None


async def test_a_callback_that_this_run_did_not_ask_for_changes_nothing(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.open()
        await visit.post("/describe", DESCRIBED)
        await visit.browser.get("/create")
        answer = await visit.browser.get("/callback?code=stranger&state=wrong")
        assert answer.status_code == 409
        assert visit.shelf.asked == []
        assert stored(tmp_path) == {}


async def test_a_code_that_did_not_get_through_can_be_tried_again(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.open()
        await visit.post("/describe", DESCRIBED)
        visit.shelf.fails = True
        answer = await visit.create()
        assert answer.status_code == 502
        assert "cannot be reached" in answer.text
        visit.shelf.fails = False
        assert "Let trackside-acme in" in (await visit.browser.get(str(answer.url))).text


async def test_an_interrupted_run_goes_on_with_the_app_that_it_made(tmp_path: Path) -> None:
    """The key is told once: it is kept from that moment, and the bot is not changed before the end."""
    async with visiting(tmp_path) as visit:
        await to_the_choice(visit)
        assert not (tmp_path / "trackside.toml").exists()
        assert sorted(stored(tmp_path)) == ["TRACKSIDE_UNFINISHED_APP"]
        later = wizard_at(tmp_path, visit.shelf, {})
        async with browsing(later) as browser:
            page = await browser.get(f"/?key={KEY}")
            assert "Go on with trackside-acme" in page.text
            await browser.get("/install")
            await browser.post("/choose", data={"repository": "acme/shop"}, headers={"Origin": PAGES})
        assert later.sound
        assert sorted(stored(tmp_path)) == ["TRACKSIDE_APP_KEY"]


async def test_an_interrupted_run_can_be_begun_anew(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await to_the_choice(visit)
        later = wizard_at(tmp_path, visit.shelf, {})
        async with browsing(later) as browser:
            await browser.get(f"/?key={KEY}")
            page = await browser.post("/anew", headers={"Origin": PAGES})
            assert "Make a GitHub App" in page.text
        assert stored(tmp_path) == {}


async def test_a_configuration_that_is_there_is_not_written_over_unasked(tmp_path: Path) -> None:
    (tmp_path / "trackside.toml").write_text("mine = true\n")
    store = SecretStore(tmp_path / "data", {})
    token = secrets.token_hex()
    store.keep({"TRACKSIDE_TOKEN": token, "OTHER": "kept"})
    async with visiting(tmp_path) as visit:
        await to_the_choice(visit)
        assert 'name="replace"' in (await visit.browser.get("/choose")).text
        refused = await visit.post("/choose", {"repository": "acme/shop"})
        assert refused.status_code == 422
        assert (tmp_path / "trackside.toml").read_text() == "mine = true\n"
        assert store.read()["TRACKSIDE_TOKEN"] == token
        await visit.post("/choose", {"repository": "acme/shop", "replace": "yes"})
        assert visit.wizard.sound
    # A bot is one account or one App.
    assert sorted(store.read()) == ["OTHER", "TRACKSIDE_APP_KEY"]


async def test_at_least_one_repository_is_chosen_and_none_that_the_app_was_not_let_into(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await to_the_choice(visit)
        for chosen in ([], ["acme/elsewhere"]):
            answer = await visit.post("/choose", {"repository": chosen})
            assert answer.status_code == 422
        assert not (tmp_path / "trackside.toml").exists()


async def test_what_the_doctor_found_is_shown_with_its_cure_and_looked_at_again(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.open()
        await visit.post("/describe", DESCRIBED)
        await visit.create()
        installation = await visit.install("acme/shop")
        await visit.tracker.suspend(installation)
        await visit.wizard.finish(["acme/shop"], replace=False)
        done = await visit.browser.get("/done")
        assert "Something is left to do" in done.text
        assert "→ " in done.text
        assert not visit.wizard.finished.is_set()
        await visit.tracker.suspend(installation, suspended=False)
        assert "The bot is ready" in (await visit.post("/again", {})).text
        assert visit.wizard.finished.is_set()
