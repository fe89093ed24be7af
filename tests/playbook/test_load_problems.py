"""Every fault is said with its file, line and key, and with what would be right."""

# ruff: noqa: E501 - a row of a table is one line

from __future__ import annotations

import pytest

from bot.errors import PlaybookError
from bot.playbook.load import load
from tests.playbook.samples import PATH, SMALL, changed


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(PlaybookError) as raised:
        load(text, PATH)
    return [line.removeprefix(f"{PATH}:") for line in str(raised.value).splitlines()]


LONG = ", ".join(["1m"] * 101)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # values of the wrong shape
        ("20m", "1 hour", "7: binding.timeout: expected a duration such as 30s, 5m or 1h, not '1 hour'"),
        ("20m", "60", "7: binding.timeout: expected a duration such as 30s, 5m or 1h, not 60"),
        ("name: tidy", "name: Tidy Up", "2: name: expected a name such as 'work-issue', not 'Tidy Up'"),
        ("name: tidy", "name: 5", "2: name: expected text, not 5"),
        ("name: tidy\n", "", "1: name: is missing"),
        ("{executor: claude-code, ", "{", "7: binding.executor: is missing"),
        ("complete: true", "complete: maybe", "12: statuses.finished.complete: expected true or false, not 'maybe'"),
        ("[comment]", "comment", "11: statuses.stuck.wait: expected a list, not 'comment'"),
        ("[comment]", "[coment]", "11: statuses.stuck.wait[0]: expected review, comment, checks or merge, not 'coment'; did you mean 'comment'?"),
        ("[comment]", "[comment, comment]", "11: statuses.stuck.wait: 'comment' is named twice"),
        ("kind: work-issue", "kind: jobb", "4: kind: expected work-issue, review-pr, job or epic, not 'jobb'; did you mean 'job'?"),
        ("permission: write", "permission: push", "14: gates[0].permission: expected read, triage, write, maintain or admin, not 'push'"),
        ("kind: work-issue", "kind: review-pr", "10: statuses.ready.publish: a playbook of kind review-pr only looks; take this out"),
        ("need: 1", "need: 0", "14: gates[0].need: must be at least 1"),
        ("need: 1", "need: one", "14: gates[0].need: expected a whole number, not 'one'"),
        ("need: 1", "need: 2, users: [ann]", "14: gates[0]: needs 2 people but names only 1"),
        ("need: 1", "users: ['@ann']", "14: gates[0].users[0]: expected an account name without '@', not '@ann'"),
        ("max: 5", "max: -1", "15: budgets[0].max: must be more than 0"),
        ("max: 5", "max: .inf", "15: budgets[0].max: this number is too large"),
        ("max: 5", "max: 0xffffffffffffffffffff", "15: budgets[0].max: this number is too large"),
        ("warn_at: 0.8", "warn_at: 80", "15: budgets[0].warn_at: must be less than 1"),
        ("unit: usd", "unit: US Dollar", "15: budgets[0].unit: expected a unit such as 'usd' or 'minutes', not 'US Dollar'"),
        ("5m, 10m", LONG, "16: retry.delays: has more than 100 entries"),  # C-109
        ("  parked", "  Parked", "13: statuses.Parked: expected a word such as 'review' in lower case, not 'Parked'"),
        ("{notify: true", "{color: 123456, notify: true", '11: statuses.stuck.color: expected six hex digits in quotes, such as "0e8a16"'),
        ("command: tidy", "command: approve", "3: on.command: /approve has a meaning of its own; choose another word"),
        ('label: "state:ready"', f"label: {'x' * 51}", "10: statuses.ready.label: a label has 1 to 50 characters, not 51"),  # ag-J16
        ('label: "state:ready"', 'label: "a,b"', "10: statuses.ready.label: a label is one line without commas or outer spaces, not 'a,b'"),
        ("gates: [{name: start, need: 1, permission: write}]", "gates: start", "14: gates: expected a list, not 'start'"),
        # keys that are not known
        ("statuses:", "statusses:", "8: statusses: unknown key; did you mean 'statuses'?"),
        ("notify: true", "notfy: true", "11: statuses.stuck.notfy: unknown key; did you mean 'notify'?"),
        ("need: 1", "users_: 1", "14: gates[0].users_: unknown key; did you mean 'users'?"),
        ("timeout: 20m", "timout: 20m", "7: binding.timout: unknown key; did you mean 'timeout'? (a key of the executor's own goes under config)"),
        ("timeout: 20m", "config: {a: 1}, a: 2", "7: binding: 'a' stands both here and under config; keep one of them"),
        # rules between settings
        ("default: stuck", "default: stuk", "6: default: 'stuk' is not one of the statuses (tidying, ready, stuck, finished, parked); did you mean 'stuck'?"),
        ("running: tidying", "running: nothing", "5: running: 'nothing' is not one of the statuses (tidying, ready, stuck, finished, parked)"),
        ("complete: true", "complete: true, wait: [review]", "12: statuses.finished: has both complete and wait; a status ends the work or waits, not both"),
        ("estimate: {usd: 2}", "estimate: {usd: 6}", "7: binding.estimate.usd: 6 is more than budgets[0].max (5): never starts"),
        ("estimate: {usd: 2}", "estimate: {turns: 2}", "7: binding.estimate.turns: turns are counted by the scheduler and need no estimate"),
        ("state:ready", "State:Tidying", "10: statuses.ready.label: the label 'State:Tidying' is statuses.tidying.label already"),
        ("state:ready", "run:tidy", "10: statuses.ready.label: the label 'run:tidy' is on.label already"),
        ("gates: [", "gates: [{name: start}, ", "14: gates[1].name: there is a gate 'start' already"),
        ("budgets: [", "budgets: [{unit: usd, max: 9}, ", "15: budgets[1]: there is a budget of usd per work and life already"),
        ('on: {label: "run:tidy", command: tidy}\n', "", "1: on: is missing; a playbook of kind work-issue needs something that starts it, such as a label"),
        ('{label: "run:tidy", command: tidy}', "{}", "3: on: needs a label, a command or a pull_request"),
        ("command: tidy", "pull_request: own", "3: on.pull_request: starts a playbook of kind review-pr, and of no other"),
        # what YAML allows and a playbook does not
        ("name: tidy", "name: tidy\nname: other", "3: name: this key stands on line 2 already"),
        ("[comment]", "&a [comment]", "11: statuses.stuck.wait: anchors and aliases are not used in playbooks; write the value out"),
        ("name: tidy", "name: !!python/object:os.system tidy", "2: name: the tag 'tag:yaml.org,2002:python/object:os.syste' is not used in playbooks"),
        ("name: tidy", "name: !!int tidy", "2: name: 'tidy' cannot be read; put it in quotes"),
        ("name: tidy", 'name: "a\\0b"', "2: name: this text holds a character that cannot be used"),
        ("name: tidy", 'name: "\\ud800"', "2: name: this text holds a character that cannot be used"),
        ("name: tidy", "name: tidy\n[a]: b", "3: a key is a word, not a list or a mapping"),
        ("  stuck:", "\tstuck:", "11: this line is indented with a tab; use spaces"),
        ("name: tidy", "name: tidy: up", "2: this is not YAML: mapping values are not allowed here"),
        ("timeout: 20m", f"a: {'[' * 20}{']' * 20}", "7: binding.a[0][0][0][0][0][0][0][0][0][0][0]: the settings are nested more than 12 deep"),
        ("timeout: 20m", f"a: {'[' * 500}", "2: the settings are nested more than 12 deep"),
        # the prompt
        ("item.title", "item.titel", "18: prompt: 'item' has no 'titel'; did you mean 'title'?"),
        ("item.title", "items", "18: prompt: there is no 'items'; did you mean 'item'?"),
        ("{{ item.title }}", "\n\n{% if item %}", "20: prompt: Unexpected end of template. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'."),
        ("item.title", "branch | shout", "18: prompt: No filter named 'shout'."),
        ("item.title", "pull_request.number", "18: prompt: 'None' has no attribute 'number' (on the first attempt)"),
        ("item.title", "item.title | upper", "18: prompt: text of people stands alone in a prompt: no filter but 'untrusted', and no '~' (on the first attempt)"),
        ("item.title", "pull_request", "18: prompt: only text and numbers can be shown, not nothing (on the first attempt)"),
    ],
)  # fmt: skip
def test_a_fault_is_said_with_its_line_and_cure(old: str, new: str, expected: str) -> None:
    assert problems(changed((old, new))) == [expected]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "1: a playbook begins with a line '---', followed by its settings"),
        ("# A title\n", "1: a playbook begins with a line '---', followed by its settings"),
        ("---\nname: x\n", "3: the settings are not closed by a line '---'"),
        ("---\nname: x\n---\n \n\n", "3: the prompt after the settings is empty"),
        ("---\n---\nHi\n", "2: the settings are keys with values, such as 'name: work-issue'"),
        ("---\n- a\n---\nHi\n", "2: the settings are keys with values, such as 'name: work-issue'"),
        ("---\nname: &a [*a]\n---\nHi\n", None),
        (b"---\nname: x\n# \xff\n---\nHi\n", "3: the file is not UTF-8 text"),
        ("\ufeff" + SMALL, "1: the file begins with a byte order mark; save it as UTF-8 without one"),
        (SMALL.replace("\n", "\r\n"), "1: a line ends with CR; save the file with LF line ends"),
        (SMALL.replace("Tidy up", "Tidy\0up"), "18: the character U+0000 cannot stand in a playbook"),
        (SMALL + "x" * 256 * 1024, "1: the file is larger than 256 KB"),
        (SMALL.replace("kind", "#" * 66_000 + "\nkind"), "1: the settings are longer than 64 KB"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_to_be_so(content: str | bytes, expected: str | None) -> None:
    found = problems(content)
    assert found
    assert expected is None or found == [expected]


def test_aliases_that_unfold_without_end_are_refused_at_once() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    found = problems("---\n" + "\n".join(lines) + "\n---\nHi\n")
    assert "2: a: anchors and aliases are not used in playbooks; write the value out" in found


def test_all_faults_of_a_file_are_said_at_once() -> None:
    text = changed(("20m", "soon"), ("default: stuck", "default: stuk"), ("need: 1", "need: 0"), ("item.title", "itm"))
    assert [line.split(":")[0] for line in problems(text)] == ["6", "7", "14", "18"]


def test_a_value_that_cannot_be_read_is_not_said_to_be_missing_too() -> None:
    assert len(problems(changed(("name: tidy", "name: &x tidy")))) == 1


def test_a_flood_of_faults_is_counted_and_not_listed() -> None:
    found = problems(changed(("name: tidy", "".join(f"x{index}: 1\n" for index in range(150)) + "name: tidy")))
    assert len(found) == 101
    assert found[-1] == "and 50 more"


def test_the_sample_itself_has_no_fault() -> None:
    assert load(SMALL, PATH).name == "tidy"
