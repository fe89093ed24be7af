"""How an App proves who it is: by statements about itself, and by tokens that end within the hour."""

from __future__ import annotations

import asyncio
import json
import secrets

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.clock import HOUR, MINUTE, SECOND, Millis
from bot.errors import ConfigError, TrackerError, TrackerMissingError, TrackerUnavailableError
from bot.trackers.github.app_key import app_key
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.opening import open_client
from bot.trackers.github.tracker import GithubTracker
from bot.trackers.github.tracker_time import TrackerTime
from tests.clock import FakeClock
from tests.trackers.github.apps import APP, FARM, SHOP, SLUG, Age, AppServer, identity, opened, pem
from tests.trackers.github.documents import BASE, comment


# gh-K-03
async def test_a_statement_is_dated_a_minute_back_and_holds_for_nine(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    await app_tracker.repository(SHOP)

    now = server.clock.now() // SECOND
    assert server.statements[0] == {"iat": now - 60, "exp": now + 540, "iss": str(APP)}


# gh-K-03
@pytest.mark.parametrize("off", [-HOUR, -10 * MINUTE, 5 * MINUTE, 25 * HOUR])
async def test_an_app_whose_clock_is_off_gets_in_by_what_the_first_refusal_tells(
    server: AppServer, age: Age, off: int
) -> None:
    ours = FakeClock(Millis(server.clock.now() + off))
    async with opened(server, ours, age) as tracker:
        for _ in range(3):
            assert (await tracker.repository(SHOP)).full_name == SHOP

    # One refusal, then the installation and its token; the token serves for the rest.
    assert len(server.paths("app")) == 3
    assert server.minted == 1


# gh-K-03
async def test_only_a_refusal_for_its_date_has_a_statement_made_anew(clock: FakeClock) -> None:
    time = TrackerTime(clock)
    key = app_key(identity(), time)
    first = await key.grant("/app")
    assert await key.renewed("/app", first, 401) is None

    time.ahead = HOUR
    assert await key.renewed("/app", first, 500) is None
    fresh = await key.renewed("/app", first, 401)
    assert fresh is not None
    assert await key.renewed("/app", fresh, 401) is None


async def test_an_app_acts_as_the_account_that_the_tracker_made_for_it(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    # gh-K-07
    me = await app_tracker.me()

    assert (me.id, me.login, me.bot) == (777, f"{SLUG}[bot]", True)
    assert server.paths("acme") == [f"/users/{SLUG}[bot]"]


# gh-K-01
async def test_one_token_serves_until_it_has_less_than_five_minutes_left(
    app_tracker: GithubTracker, server: AppServer, clock: FakeClock
) -> None:
    await app_tracker.repository(SHOP)
    clock.advance(55 * MINUTE - 1)
    await app_tracker.repository("acme/till")
    assert server.minted == 1

    clock.advance(1)
    await app_tracker.repository(SHOP)
    assert server.minted == 2
    assert "nobody" not in {each.by for each in server.asked}


# gh-K-02
@pytest.mark.parametrize("set_by", [-2 * HOUR, -30 * MINUTE])
async def test_a_clock_that_is_set_back_makes_no_token_last_longer(
    app_tracker: GithubTracker, server: AppServer, clock: FakeClock, age: Age, set_by: int
) -> None:
    server.clock = FakeClock(clock.now())
    await app_tracker.repository(SHOP)
    age.set_clock(set_by)
    for each in (clock, server.clock):
        each.advance(56 * MINUTE)

    assert (await app_tracker.repository(SHOP)).full_name == SHOP
    assert server.minted == 2


# gh-K-02
async def test_a_machine_that_slept_knows_that_its_token_is_over(
    app_tracker: GithubTracker, server: AppServer, age: Age
) -> None:
    await app_tracker.repository(SHOP)
    # The clock that only counts stood still meanwhile.
    age.set_clock(56 * MINUTE)

    await app_tracker.repository(SHOP)
    assert server.minted == 2


# gh-K-01, ag-I01
async def test_a_token_that_is_refused_is_minted_anew_and_the_request_is_made_once_more(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    written: list[str] = []

    def write(request: httpx.Request) -> httpx.Response:
        written.append(json.loads(request.content)["body"])
        return httpx.Response(201, json=comment(9))

    server.answers["POST", f"/repos/{SHOP}/issues/3/comments"] = write
    await app_tracker.repository(SHOP)
    server.tokens.clear()

    assert (await app_tracker.create_comment(SHOP, 3, "hello")).id == 9
    assert written == ["hello"]
    assert server.minted == 2


# ag-I01
async def test_a_request_that_is_refused_twice_is_not_made_a_third_time(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    server.answers["GET", f"/repos/{SHOP}"] = lambda _: httpx.Response(401, json={"message": "Bad credentials"})

    with pytest.raises(TrackerError, match="401"):
        await app_tracker.repository(SHOP)
    assert server.paths("acme") == [f"/repos/{SHOP}"] * 2
    assert server.minted == 2


@pytest.mark.parametrize("status", [403, 422, 500])
async def test_another_refusal_mints_nothing_and_repeats_nothing(
    app_tracker: GithubTracker, server: AppServer, status: int
) -> None:
    server.answers["POST", f"/repos/{SHOP}/issues/3/comments"] = lambda _: httpx.Response(status, json={})

    with pytest.raises(TrackerError):
        await app_tracker.create_comment(SHOP, 3, "hello")
    assert server.minted == 1
    assert server.paths("acme") == [f"/repos/{SHOP}/issues/3/comments"]


@pytest.mark.parametrize(("path", "looked_up"), [(f"/repos/{SHOP}", 1), (f"/repos/{SHOP}/issues/3", 0)])
async def test_what_is_missing_is_asked_for_once(
    app_tracker: GithubTracker, server: AppServer, path: str, looked_up: int
) -> None:
    await app_tracker.repository(SHOP)
    server.asked.clear()
    server.answers["GET", path] = lambda _: httpx.Response(404, json={"message": "Not Found"})

    with pytest.raises(TrackerMissingError):
        await app_tracker.client.get(path)
    assert server.paths("acme") == [path]
    # A repository may have come to another account; nothing else that is missing makes us look for that.
    assert len(server.paths("app")) == looked_up


@pytest.mark.parametrize(
    ("status", "message"),
    [(403, "no token for the App's installation on acme: .*IP allow list"), (500, "the tracker failed with 500")],
)
async def test_a_token_that_is_not_given_is_said_with_the_reason_and_asked_for_once(
    server: AppServer, age: Age, status: int, message: str
) -> None:
    said = "Although you appear to have the correct authorization credentials, acme has an IP allow list enabled"
    server.instead_of_a_token = httpx.Response(status, json={"message": said})
    # By what the answers tell, the second statement would be dated otherwise than the first.
    ours = FakeClock(Millis(server.clock.now() - 3 * MINUTE))
    async with opened(server, ours, age) as tracker:
        with pytest.raises(TrackerError, match=message) as caught:
            await tracker.repository(SHOP)
    assert isinstance(caught.value, TrackerUnavailableError) == (status == 500)
    assert len(server.mints()) == 1


async def test_many_requests_at_once_mint_one_token_for_each_installation(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    await asyncio.gather(*(app_tracker.repository(name) for name in (SHOP, FARM, "acme/till") * 10))

    assert server.minted == 2
    assert sorted(server.mints()) == [f"/app/installations/{number}/access_tokens" for number in (1, 2)]
    assert len([path for path in server.paths("app") if path.endswith("/installation")]) == 3


async def test_many_requests_that_are_refused_at_once_mint_one_token(
    app_tracker: GithubTracker, server: AppServer
) -> None:
    await app_tracker.repository(SHOP)
    server.tokens.clear()

    await asyncio.gather(*(app_tracker.repository(SHOP) for _ in range(10)))

    assert server.minted == 2


async def test_a_server_of_ones_own_is_asked_below_its_own_path(clock: FakeClock, age: Age, server: AppServer) -> None:
    server.base = "/api/v3"
    async with opened(server, clock, age, f"{BASE}/api/v3") as tracker:
        assert (await tracker.me()).id == 777
        assert (await tracker.repository(SHOP)).full_name == SHOP


# gh-S-04
async def test_tokens_are_known_for_hiding_and_shown_by_nothing(
    app_tracker: GithubTracker, server: AppServer, clock: FakeClock
) -> None:
    for name in (SHOP, FARM):
        await app_tracker.repository(name)
    first = await app_tracker.git_token(SHOP)
    clock.advance(HOUR)
    second = await app_tracker.git_token(SHOP)

    assert first != second
    assert {first, second} <= app_tracker.hidden <= server.tokens.keys()
    for _ in range(10):
        clock.advance(HOUR)
        await app_tracker.git_token(SHOP)
    assert len(app_tracker.hidden) == 4
    assert second not in repr(app_tracker)
    assert pem() not in repr(identity())


@pytest.mark.parametrize("kind", ["nothing", "another kind", "locked"])
async def test_a_key_that_cannot_be_used_is_refused_and_nothing_of_it_is_told(kind: str) -> None:
    other = ec.generate_private_key(ec.SECP256R1())
    text = {
        "nothing": secrets.token_hex(),
        "another kind": other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        "locked": pem().replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n", 1),
    }[kind]
    with pytest.raises(ConfigError, match="private key") as caught:
        async with open_client(AppIdentity(id=APP, key=text), base_url=BASE):
            pass
    assert text not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
