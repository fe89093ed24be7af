from __future__ import annotations

from importlib import resources

from bot.clock import HOUR, MINUTE
from bot.domain.result import Outcome, Result
from bot.domain.turn import Turn
from bot.playbook.advice import advice
from bot.playbook.find import builtin
from bot.playbook.outcome import outcome
from bot.playbook.playbook import Playbook
from bot.playbook.prompt import OpenPullRequest, Previous, PromptInput
from bot.playbook.render import render
from bot.playbook.support import unsupported
from bot.playbook.words import Permission
from tests.playbook.samples import context

NONCE = "0123456789abcdef"


def work_issue() -> Playbook:
    return next(playbook for playbook in builtin() if playbook.name == "work-issue")


def test_work_issue_has_the_documented_defaults() -> None:
    playbook = work_issue()
    gate = playbook.gates[0]
    assert playbook.on is not None
    assert playbook.on.label == "run:work-issue"
    assert (gate.name, gate.need, gate.permission, gate.excluded) == ("start", 1, Permission.WRITE, ())
    assert (playbook.binding.executor, playbook.binding.timeout) == ("shell", HOUR)
    assert unsupported(playbook) == ()
    assert playbook.retry.delays == (5 * MINUTE, 10 * MINUTE)
    assert list(playbook.statuses) == ["building", "review", "help", "done"]


def test_work_issue_waits_for_people_and_ends_when_done() -> None:
    ends = {}
    for word in ("review", "help", "done"):
        decision = outcome(work_issue(), Result(ok=True, turn=Turn(status=word)))
        ends[word] = (decision.kind, decision.wait, decision.publish)
    assert ends == {
        "review": (Outcome.WAITING, ("review", "comment", "checks"), True),
        "help": (Outcome.WAITING, ("comment",), False),
        "done": (Outcome.COMPLETED, (), False),
    }


def test_work_issue_says_how_to_declare_each_end() -> None:
    prompt = render(work_issue(), context(), nonce=NONCE)
    assert "trackside turn review --comment-file comment.md" in prompt
    for word in ("review", "help", "done"):
        assert f"- `{word}`: " in prompt
        assert f"Declare `{word}` " in prompt
    assert "Where you left off" not in prompt


def test_work_issue_tells_a_later_attempt_what_happened() -> None:
    prompt = render(
        work_issue(),
        context(
            attempt=2,
            previous=Previous(status="help", comment="Which colour?"),
            inputs=(PromptInput(kind="comment", author="ann", trusted=True, body="Blue."),),
            pull_request=OpenPullRequest(number=57, url="https://x.example/57"),
        ),
        nonce=NONCE,
    )
    assert "ended with the status `help`" in prompt
    assert "Which colour?" in prompt
    assert "author=ann trusted=yes\nBlue.\n" in prompt
    assert "Pull request #57 is open" in prompt


def test_work_issue_tells_an_agent_who_publishes() -> None:
    # ag-I14
    prompt = " ".join(render(work_issue(), context(), nonce=NONCE).split())
    assert "Do not push" in prompt
    assert "that is done for you from what you commit" in prompt


def test_the_playbooks_of_the_package_need_no_advice() -> None:
    assert [line for playbook in builtin() for line in advice(playbook)] == []


def test_the_format_is_described_beside_them() -> None:
    assert resources.files("playbooks").joinpath("README.md").is_file()
