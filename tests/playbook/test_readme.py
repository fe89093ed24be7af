"""The description of the format names exactly what the code knows."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from importlib import resources

import pytest
from pydantic import BaseModel

from bot.playbook import words
from bot.playbook.advice import advice
from bot.playbook.load import check, load
from bot.playbook.prompt import ATTRIBUTES, LISTS
from bot.playbook.schema import Binding, Budget, FrontMatter, Gate, Retry, Status, Trigger
from bot.playbook.template import FILTERS

README = resources.files("playbooks").joinpath("README.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `([^`]+)` \| (.*)$", README, re.MULTILINE))
SECTIONS: dict[str, type[BaseModel]] = {
    "on": Trigger,
    "binding": Binding,
    "statuses": Status,
    "gates": Gate,
    "budgets": Budget,
    "retry": Retry,
}
WITHIN = {"statuses": "statuses.WORD", "gates": "gates[]", "budgets": "budgets[]"}


def keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def settings() -> Iterator[str]:
    for key in keys(FrontMatter):
        if key in SECTIONS:
            yield from (f"{WITHIN.get(key, key)}.{inner}" for inner in keys(SECTIONS[key]))
        else:
            yield key


def variables() -> Iterator[str]:
    for name, attributes in ATTRIBUTES.items():
        # What is always there needs no line of its own.
        if name not in {"item", "repository"}:
            yield name
        yield from (f"{name}.{attribute}" for attribute in attributes)
    for name, attributes in LISTS.items():
        yield from (f"{name}[].{attribute}" for attribute in attributes)


def test_every_setting_and_variable_is_described_and_no_other() -> None:
    assert sorted(ROWS) == sorted([*settings(), *variables()])


@pytest.mark.parametrize(
    ("key", "choices"),
    [
        ("kind", words.Kind),
        ("binding.sandbox", words.Sandbox),
        ("statuses.WORD.publish", words.Publish),
        ("statuses.WORD.wait", words.WaitFor),
        ("gates[].permission", words.Permission),
        ("gates[].not", words.Excluded),
        ("budgets[].per", words.Per),
        ("budgets[].period", words.Period),
    ],
)
def test_every_choice_is_described(key: str, choices: type[words.Kind]) -> None:
    assert {each.value for each in choices} <= set(re.findall(r"`([a-z-]+)`", ROWS[key]))


def test_required_settings_are_said_to_be_required() -> None:
    required = {key for key, row in ROWS.items() if row.endswith("| required |")}
    expected = {name for name, field in FrontMatter.model_fields.items() if field.is_required()} - SECTIONS.keys()
    for section, model in SECTIONS.items():
        inner = [field.alias or name for name, field in model.model_fields.items() if field.is_required()]
        expected |= {f"{WITHIN.get(section, section)}.{key}" for key in inner}
    assert required == expected


def test_every_filter_is_described() -> None:
    sentence = README.split("these filters:")[1].split("Loops")[0]
    assert tuple(re.findall(r"`(\w+)`", sentence)) == FILTERS


def example() -> str:
    found = re.search(r"```markdown\n(.*?)```\n\n", README, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_is_a_good_playbook() -> None:
    assert advice(load(example(), "playbooks/tidy.md")) == []


def test_the_messages_shown_are_those_of_the_example() -> None:
    found = re.search(r"```text\n(playbooks/.*?)```", README, re.DOTALL)
    assert found is not None
    broken = example().replace("20m", "20 minutes").replace("statuses:", "statusses:")
    assert [str(problem) for problem in check(broken, "playbooks/tidy.md").problems] == found[1].splitlines()


def test_the_sections_of_the_description_are_those_of_the_format() -> None:
    nested = {
        name
        for name, field in FrontMatter.model_fields.items()
        if any(section.__name__ in str(typing.cast("object", field.annotation)) for section in SECTIONS.values())
    }
    assert nested == SECTIONS.keys()
