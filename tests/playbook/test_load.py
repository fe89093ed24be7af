from __future__ import annotations

import hashlib
import json

import pytest
from pydantic import ValidationError

from bot.clock import MINUTE
from bot.errors import PlaybookError
from bot.playbook.load import check, load
from bot.playbook.playbook import Playbook
from bot.playbook.words import Kind, Permission, Publish, WaitFor
from tests.playbook.samples import PATH, SMALL, changed, small


def test_a_playbook_is_loaded_with_all_its_settings() -> None:
    playbook = small()
    assert playbook.name == "tidy"
    assert playbook.kind is Kind.WORK_ISSUE
    assert playbook.on is not None
    assert (playbook.on.label, playbook.on.command) == ("run:tidy", "tidy")
    assert playbook.binding.timeout == 20 * MINUTE
    assert playbook.binding.estimate == {"usd": 2}
    assert playbook.statuses["ready"].publish is Publish.PULL_REQUEST
    assert playbook.statuses["ready"].wait == (WaitFor.REVIEW, WaitFor.COMMENT)
    assert playbook.gates[0].permission is Permission.WRITE
    assert playbook.budgets[0].warn_at == 0.8
    assert playbook.body == "Tidy up {{ item.title }}.\n"
    assert playbook.body_line == 18


def test_two_retries_after_five_and_ten_minutes_are_the_default() -> None:
    # C-107
    assert small(("retry: {delays: [5m, 10m]}\n", "")).retry.delays == (5 * MINUTE, 10 * MINUTE)


def test_a_hundred_delays_are_allowed() -> None:
    # C-109, whose other half is in test_load_problems
    delays = ", ".join(["1m"] * 100)
    assert len(small(("5m, 10m", delays)).retry.delays) == 100


def test_keys_of_the_executor_stand_beside_the_known_ones() -> None:
    playbook = small(
        (
            "binding: {executor: claude-code, timeout: 20m",
            "binding: {executor: shell, command: [make, a b], timeout: 20m",
        )
    )
    assert playbook.binding.executor == "shell"
    assert playbook.binding.config == {"command": ["make", "a b"]}
    assert playbook.binding.timeout == 20 * MINUTE


def test_keys_of_the_executor_may_stand_under_config_too() -> None:
    playbook = small(("timeout: 20m", "config: {model: x, depth: null}, turns: 5"))
    assert playbook.binding.config == {"model": "x", "depth": None, "turns": 5}
    assert Playbook.from_document(playbook.to_document()) == playbook


def test_a_job_needs_no_trigger() -> None:
    playbook = small(('on: {label: "run:tidy", command: tidy}\n', ""), ("kind: work-issue", "kind: job"))
    assert playbook.on is None


def test_words_that_other_yaml_readers_take_for_truths_are_words_here() -> None:
    playbook = small(("  finished: {complete: true}", "  no: {complete: true}\n  on: {description: yes}"))
    assert playbook.statuses["no"].complete
    assert playbook.statuses["on"].description == "yes"


def test_the_digest_is_that_of_the_file() -> None:
    assert small().digest == hashlib.sha256(SMALL.encode()).hexdigest()
    assert small().digest != small(("20m", "21m")).digest


def test_a_line_of_dashes_in_the_prompt_is_part_of_it() -> None:
    assert small(("Tidy up", "Above\n---\nTidy up")).body.startswith("Above\n---\n")


def test_a_playbook_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        small().name = "other"  # type: ignore[misc]  # what is tested


def test_a_document_reads_back_as_an_equal_playbook() -> None:
    playbook = small(("permission: write", "permission: admin, not: [starter], users: [ann, bob], teams: [o/r]"))
    stored = json.dumps(playbook.to_document())
    assert Playbook.from_document(json.loads(stored)) == playbook


@pytest.mark.parametrize(
    "document",
    [{}, {"version": 2, "playbook": {}}, {"version": 1}, {"version": 1, "playbook": {"name": "x"}}],
)
def test_a_document_of_another_kind_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(PlaybookError, match="stored playbook"):
        Playbook.from_document(document)  # type: ignore[arg-type]  # what is tested


def test_checking_never_raises_and_loading_raises_every_fault() -> None:
    broken = changed(("20m", "soon"), ("default: stuck", "default: stuk"))
    checked = check(broken, PATH)
    assert checked.playbook is None
    assert [problem.line for problem in checked.problems] == [7, 6]
    with pytest.raises(PlaybookError) as raised:
        load(broken, PATH)
    assert [line.split(": ")[0] for line in str(raised.value).splitlines()] == [f"{PATH}:6", f"{PATH}:7"]


def test_the_label_that_starts_it_counts_in_any_case() -> None:
    # ag-F10
    playbook = small()
    assert playbook.starts_on("Run:Tidy")
    assert playbook.asked_for(["bug", "RUN:TIDY"])
    assert not playbook.starts_on("run:tidy-up")
    assert not playbook.starts_on(None)
    assert not playbook.asked_for(["bug"])
