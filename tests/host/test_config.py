from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from bot.clock import HOUR
from bot.domain.brake import Brakes
from bot.errors import ConfigError
from bot.host.config import DATABASE, SECRETS, load_config
from bot.host.sections import TOKEN

GOOD = """\
data = "state"
repositories = ["acme/greeter"]
"""


@pytest.fixture
def token() -> str:
    return secrets.token_hex()


def write(directory: Path, text: str) -> Path:
    path = directory / "trackside.toml"
    path.write_text(text)
    return path


def complaints(path: Path, token: str) -> list[str]:
    """Return what is wrong with a file, line by line, without its name at the beginning of each."""
    with pytest.raises(ConfigError) as caught:
        load_config(path, {TOKEN: token})
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines), lines
    return [line.removeprefix(f"{path}: ") for line in lines]


# C-05
def test_a_short_configuration_is_complete(tmp_path: Path, token: str) -> None:
    config = load_config(write(tmp_path, GOOD), {TOKEN: token})
    assert config.token.get_secret_value() == token
    assert config.secrets == ()
    assert config.repositories == ("acme/greeter",)
    assert (config.server.host, config.server.port) == ("127.0.0.1", 8000)
    assert config.tracker.url == "https://api.github.com"
    assert (config.settings.lease, config.settings.timeout, config.settings.sweep) == (60_000, 3_600_000, 120_000)
    assert (config.settings.concurrency, config.settings.job_concurrency) == (4, 4)
    assert config.playbooks == ()


def test_relative_paths_start_from_the_file(tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "conf").mkdir()
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "conf", 'data = "../state"\nrepositories = ["a/b"]\nplaybooks = ["books", "/etc/books"]\n')
    config = load_config(Path("conf/trackside.toml"), {TOKEN: token})
    assert config.data == tmp_path / "conf" / ".." / "state"
    assert config.playbooks == (tmp_path / "conf" / "books", Path("/etc/books"))


def test_durations_are_read_as_people_write_them(tmp_path: Path, token: str) -> None:
    config = load_config(write(tmp_path, GOOD + '[settings]\nlease = "90s"\ntimeout = "1h30m"\n'), {TOKEN: token})
    assert (config.settings.lease, config.settings.timeout) == (90_000, 5_400_000)


def test_capacity_is_kept_by_pool(tmp_path: Path, token: str) -> None:
    # C-143
    text = GOOD + "[settings]\nconcurrency = 2\njob_concurrency = 7\n"
    limits = load_config(write(tmp_path, text), {TOKEN: token}).limits
    assert dict(limits.pools) == {"agents": 2, "jobs": 7}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('data = "state"', ["repositories: is missing"]),
        ('repositories = ["a/b"]', ["data: is missing"]),
        ('data = "d"\nrepositories = []', ["repositories: name at least one owner/name"]),
        ('data = "d"\nrepositories = ["a"]', ["repositories.0: expected owner/name, not 'a'"]),
        ('data = "d"\nrepositories = ["a/b/c"]', ["repositories.0: expected owner/name, not 'a/b/c'"]),
        (GOOD + 'playbok = ["x"]', ["playbok: unknown key; did you mean 'playbooks'?"]),
        (GOOD + "xyz = 1", ["xyz: unknown key"]),
        (GOOD + "[server]\nprot = 1", ["server.prot: unknown key; did you mean 'port'?"]),
        (GOOD + "[settings]\ngraze = '1s'", ["settings.graze: unknown key; did you mean 'grace'?"]),
        (GOOD + "[server]\nport = 65536", ["server.port: Input should be less than or equal to 65535"]),
        (GOOD + "[server]\nport = '80'", ["server.port: expected a whole number"]),
        (GOOD + "[server]\nhost = ''", ["server.host: String should have at least 1 character"]),
        (
            GOOD + "[settings]\nconcurrency = 0",
            ["settings.concurrency: Input should be greater than or equal to 1"],
        ),
        (GOOD + "[settings]\nconcurrency = true", ["settings.concurrency: expected a whole number"]),
        # a bare number would be milliseconds, and was meant as seconds
        (GOOD + "[settings]\nlease = 60", ["settings.lease: expected a duration such as 30s, 5m or 1h, not 60"]),
        (GOOD + "[settings]\nlease = 'x'", ["settings.lease: expected a duration such as 30s, 5m or 1h, not 'x'"]),
        (
            GOOD + "[settings]\nlease = '0s'",
            ["settings.lease: a duration is more than nothing and at most 365d, not '0s'"],
        ),
        # gh-Z-04
        (
            GOOD + "[settings]\nlease = '1h'\ntimeout = '1h'",
            ["settings: settings.lease must be shorter than settings.timeout"],
        ),
        (
            GOOD + "[settings]\nlaunch_timeout = '11m'\ntimeout = '10m'",
            ["settings: settings.launch_timeout must not be longer than settings.timeout"],
        ),
        (GOOD + "[tracker]\nurl = 'api'", ["tracker.url: expected a URL such as https://api.github.com, not 'api'"]),
        (
            GOOD + "[tracker]\nurl = 'ftp://a'",
            ["tracker.url: expected a URL such as https://api.github.com, not 'ftp://a'"],
        ),
        (
            GOOD + "[database]\nurl = 'mysql://a/b'",
            ["database.url: expected a URL such as postgresql://trackside@db.example/trackside"],
        ),
        (GOOD + "[database]\nurl = 1", ["database.url: expected text"]),
        (GOOD + "database = 1", ["database: expected a table of keys"]),
        (GOOD + "[database]\nulr = ''", ["database.ulr: unknown key; did you mean 'url'?"]),
        ('data = "d"\nrepositories = "a/b"', ["repositories: expected a list"]),
        ('data = "d"\nrepositories = [1]', ["repositories.0: expected text"]),
        (GOOD + "server = 1", ["server: expected a table of keys"]),
        # all of them at once
        (
            "data = 1\nrepositories = ['a']\n[server]\nport = -1",
            [
                "data: expected a path",
                "repositories.0: expected owner/name, not 'a'",
                "server.port: Input should be greater than or equal to 0",
            ],
        ),
    ],
)
def test_every_slip_is_named_by_file_and_key(tmp_path: Path, token: str, text: str, expected: list[str]) -> None:
    assert complaints(write(tmp_path, text), token) == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("token = '{}'\n" + GOOD, "token"),
        ("secrets = ['{}']\n" + GOOD, "secrets"),
        (GOOD + "[tracker]\ntoken = '{}'", "tracker.token"),
        (GOOD + "[server]\nwebhook_secret = '{}'", "server.webhook_secret"),
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path, token: str, text: str, key: str) -> None:
    found = complaints(write(tmp_path, text.format(token)), token)
    assert found == [f"{key}: secrets do not belong in a file; set {TOKEN} and {SECRETS} instead"]


def test_a_login_in_the_trackers_url_is_refused_and_not_repeated(tmp_path: Path, token: str) -> None:
    path = write(tmp_path, f"{GOOD}[tracker]\nurl = 'https://me:{token}@tracker.example'")
    assert complaints(path, token) == [f"tracker.url: a URL in a file must not hold a login; set {TOKEN} instead"]


@pytest.mark.parametrize("url", ["postgresql://me:{}@db/t", "postgresql://db/t?user=me&password={}"])
def test_a_password_in_the_databases_url_is_refused_in_a_file_and_not_repeated(
    tmp_path: Path, token: str, url: str
) -> None:
    path = write(tmp_path, f"{GOOD}[database]\nurl = '{url.format(token)}'")
    assert complaints(path, token) == [
        f"database.url: a password does not belong in a file; set PGPASSFILE, PGPASSWORD or {DATABASE} instead"
    ]


def test_the_database_is_a_file_unless_another_is_named(tmp_path: Path, token: str) -> None:
    assert load_config(write(tmp_path, GOOD), {TOKEN: token}).database.url.get_secret_value() == ""
    path = write(tmp_path, GOOD + "[database]\nurl = 'postgresql://me@db/t'")
    assert load_config(path, {TOKEN: token}).database.url.get_secret_value() == "postgresql://me@db/t"


@pytest.mark.parametrize("file", [GOOD, GOOD + "[database]\nurl = 'postgresql://me@db/t'"])
def test_the_database_that_the_environment_names_wins_and_its_password_is_hidden(
    tmp_path: Path, token: str, file: str
) -> None:
    password = secrets.token_hex()
    url = f"postgresql://me:{password}@other/t"
    config = load_config(write(tmp_path, file), {TOKEN: token, DATABASE: f" {url}\n"})
    assert config.database.url.get_secret_value() == url
    assert password not in repr(config)
    assert config.hidden == {token, password}


def test_a_slash_at_the_end_of_the_trackers_url_changes_nothing(tmp_path: Path, token: str) -> None:
    path = write(tmp_path, GOOD + "[tracker]\nurl = 'https://api.github.com/'")
    assert load_config(path, {TOKEN: token}).tracker.url == "https://api.github.com"


def test_what_runs_get_is_named_by_where_they_run(tmp_path: Path, token: str) -> None:
    text = GOOD + '[environment]\n"*" = ["ALL"]\n"Acme" = ["OWNERS"]\n"Acme/Greeter" = ["ITS", "ALL"]\n'
    environment = {TOKEN: token, "ALL": "1", "OWNERS": "2", "ITS": "3"}
    config = load_config(write(tmp_path, text), environment)
    assert config.environment == {"*": ("ALL",), "acme": ("OWNERS",), "acme/greeter": ("ITS", "ALL")}
    assert load_config(write(tmp_path, GOOD), environment).environment == {}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('"*" = ["B", "A"]', ["environment: not set where the bot was started: A, B"]),
        ('"*" = ["TRACKSIDE_TOKEN"]', ["environment.*.0: TRACKSIDE_TOKEN is the bot's own, and no run gets it"]),
        ('"*" = ["A=1"]', ["environment.*.0: expected the name of a variable, not 'A=1'"]),
        ('"*" = "PATH"', ["environment.*: expected a list"]),
        ('"a/b/c" = []', ["environment.a/b/c.[key]: expected owner or owner/name, not 'a/b/c'"]),
    ],
)
def test_a_slip_in_what_runs_get_is_named(tmp_path: Path, token: str, table: str, expected: list[str]) -> None:
    assert complaints(write(tmp_path, f"{GOOD}[environment]\n{table}\n"), token) == expected


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_a_missing_token_is_said_by_its_variable(tmp_path: Path, value: str | None) -> None:
    environment = {} if value is None else {TOKEN: value}
    with pytest.raises(ConfigError, match=r"^TRACKSIDE_TOKEN is not set: "):
        load_config(write(tmp_path, GOOD), environment)


def test_secrets_are_separated_by_commas(tmp_path: Path) -> None:
    # gh-K-10
    new, old, token = (secrets.token_hex() for _ in range(3))
    environment = {TOKEN: f"{token}\n", SECRETS: f"{new}, {old},"}
    config = load_config(write(tmp_path, GOOD), environment)
    assert [secret.get_secret_value() for secret in config.secrets] == [new, old]
    assert config.token.get_secret_value() == token


def test_a_secret_has_the_end_that_is_said_behind_it_and_is_hidden_without_it(tmp_path: Path, token: str) -> None:
    # gh-K-10
    new, old = (secrets.token_hex() for _ in range(2))
    environment = {TOKEN: token, SECRETS: f"{new},{old};until=1970-01-01T00:01Z"}
    config = load_config(write(tmp_path, GOOD), environment)
    assert [(each.value.decode(), each.until) for each in config.signing] == [(new, None), (old, 60_000)]
    assert config.hidden == {token, new, old}


def test_a_secret_with_an_end_that_is_none_is_refused_by_its_place(tmp_path: Path, token: str) -> None:
    environment = {TOKEN: token, SECRETS: f"{secrets.token_hex()},{secrets.token_hex()};until=soon"}
    with pytest.raises(ConfigError, match=f"^{SECRETS}: secret 2: expected a time with its zone"):
        load_config(write(tmp_path, GOOD), environment)


def test_secrets_do_not_show_in_the_configurations_text(tmp_path: Path, token: str) -> None:
    # gh-S-04
    config = load_config(write(tmp_path, GOOD), {TOKEN: token, SECRETS: token})
    assert token not in repr(config)
    assert token not in config.model_dump_json()


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"data = ", "is not valid TOML: "), (b"data = '\xff'", "is not valid TOML: "), (None, "cannot be read: ")],
)
def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, token: str, content: bytes | None, reason: str) -> None:
    path = tmp_path / "trackside.toml"
    if content is not None:
        path.write_bytes(content)
    (found,) = complaints(path, token)
    assert found.startswith(reason)


# C-153
def test_limits_of_scopes_are_read_by_name_and_passed_on_when_they_narrow(tmp_path: Path, token: str) -> None:
    limits = {'"Acme"': 2, '"acme/greeter"': 3, "other": 3}
    text = GOOD + "".join(f"[scopes.{name}]\nconcurrency = {limit}\n" for name, limit in limits.items())
    config = load_config(write(tmp_path, text), {TOKEN: token})
    assert config.scope_limits == {"acme": 2, "other": 3}


def test_without_limits_of_scopes_there_are_none(tmp_path: Path, token: str) -> None:
    assert load_config(write(tmp_path, GOOD), {TOKEN: token}).scope_limits == {}


# ag-C02, ag-H08
def test_brakes_are_read_and_the_usual_ones_hold_without_a_word(tmp_path: Path, token: str) -> None:
    text = f'{GOOD}[brakes]\nstarts = 2\nwindow = "12h"\nrepository_starts = 20\nred_heads = 4\n'
    given = load_config(write(tmp_path, text), {TOKEN: token}).brake_limits
    assert given == Brakes(starts=2, window=12 * HOUR, repository_starts=20, red_heads=4)
    assert load_config(write(tmp_path, GOOD), {TOKEN: token}).brake_limits == Brakes()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[scopes."a/b/c"]\nconcurrency = 1\n', "scopes.a/b/c.[key]: expected owner or owner/name, not 'a/b/c'"),
        ('[scopes."acme/"]\nconcurrency = 1\n', "scopes.acme/.[key]: expected owner or owner/name, not 'acme/'"),
        ("[scopes.acme]\nconcurency = 1\n", "scopes.acme.concurency: unknown key; did you mean 'concurrency'?"),
        ("[scopes.acme]\nconcurrency = 0\n", "scopes.acme.concurrency: Input should be greater than or equal to 1"),
        ("[brakes]\nstart = 1\n", "brakes.start: unknown key; did you mean 'starts'?"),
        ("[brakes]\nwindow = 5\n", "brakes.window: expected a duration such as 30s, 5m or 1h, not 5"),
    ],
)
def test_a_slip_in_the_limits_of_scopes_or_brakes_is_named(
    tmp_path: Path, token: str, text: str, complaint: str
) -> None:
    assert complaint in complaints(write(tmp_path, GOOD + text), token)


@pytest.mark.parametrize(
    ("mode", "secret", "polls"),
    [("", "", True), ("", "given", False), ("poll", "given", True), ("webhooks", "given", False), ("auto", "", True)],
)
def test_the_tracker_is_polled_where_that_is_said_or_no_delivery_could_be_verified(
    tmp_path: Path, token: str, mode: str, secret: str, polls: object
) -> None:
    text = GOOD + (f'[tracker]\nmode = "{mode}"\n' if mode else "")
    environment = {TOKEN: token} | ({SECRETS: token[::-1]} if secret else {})
    config = load_config(write(tmp_path, text), environment)
    assert (config.polls, config.settings.poll) == (polls, 15_000)


def test_webhooks_that_could_not_be_verified_are_refused_at_the_start(tmp_path: Path, token: str) -> None:
    (found,) = complaints(write(tmp_path, GOOD + '[tracker]\nmode = "webhooks"\n'), token)
    assert found.startswith('tracker.mode: "webhooks" needs a secret')
    assert SECRETS in found
    (found,) = complaints(write(tmp_path, GOOD + '[tracker]\nmode = "push"\n'), token)
    assert found == "tracker.mode: Input should be 'auto', 'webhooks' or 'poll'"
