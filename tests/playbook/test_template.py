"""What a template may say: enough for a prompt, nothing that costs more than its length."""

# ruff: noqa: E501 - a row of a table is one line

from __future__ import annotations

import pytest

from bot.playbook.template import FILTERS, faults


def messages(body: str) -> list[str]:
    return [str(problem) for problem in faults(body, "x.md", first_line=5)]


@pytest.mark.parametrize(
    "body",
    [
        "Plain text, with { braces } and 100 %.",
        "{{ item.number }} {{ item.title }} {{ item.body | untrusted }}",
        "{% if previous and previous.status in ['help', 'review'] %}{{ previous.comment }}{% endif %}",
        "{% for input in inputs if input.trusted %}{{ loop.index }} {{ input.body }}{% else %}none{% endfor %}",
        "{% for status in statuses %}{{ status.wait | join(', ') }}{% endfor %}",
        "{% for status in statuses %}{% for each in status.wait %}{{ each }}{% endfor %}{% endfor %}",
        "{{ 'no' if pull_request is none else pull_request.url }}",
        "{# a note #}{% raw %}{{ as it stands }}{% endraw %}",
        "{{ branch ~ '/' ~ attempt }}",
        "{% for item in inputs %}{{ item.author }}{% endfor %}",
    ],
)
def test_a_prompt_can_show_values_ask_conditions_and_go_through_lists(body: str) -> None:
    assert messages(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "{{ 10 ** 10 ** 10 }}",
        "{{ 'x' * 1000000000 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ item.title.format() }}",
        "{{ ''.__class__ }}",
        "{{ item['title'] }}",
        "{{ range(3) }}",
        "{% for a in 'abc' %}{% endfor %}",
        "{% for a in [1, 2] %}{% endfor %}",
        "{% for a in item.title %}{% endfor %}",
        "{% for a in inputs recursive %}{{ loop(inputs) }}{% endfor %}",
        "{% for a in inputs %}{% for b in inputs %}{% for c in inputs %}{% endfor %}{% endfor %}{% endfor %}",
        "{% for a in inputs %}{% else %}{% for b in inputs %}{% for c in inputs %}{% endfor %}{% endfor %}{% endfor %}",
        "{% set a = 1 %}",
        "{% macro a() %}{% endmacro %}",
        "{% include 'other' %}",
        "{% import 'other' as other %}",
        "{% extends 'other' %}",
        "{% block a %}{% endblock %}",
        "{% filter upper %}{% endfilter %}",
        "{{ branch | replace('a', 'aa') }}",
        "{{ branch | center(1000000000) }}",
        "{{ branch | attr('__class__') }}",
        "{{ _nonce }}",
        "{{ self }}",
        "{{ '" + "(" * 5000 + "' | nothing }}",
        "{{ " + "(" * 5000 + ")" * 5000 + " }}",
        "{{ " + "not " * 5000 + "item }}",
        "{% if item %}" * 150 + "{% endif %}" * 150,
    ],
)
def test_anything_else_is_refused_when_the_file_is_read(body: str) -> None:
    assert messages(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("\n\n{{ itm.title }}", "x.md:7: prompt: there is no 'itm'; did you mean 'item'?"),
        ("\n{{ item.\nsize }}", "x.md:6: prompt: 'item' has no 'size' (there are: number, title, body, url, kind, author, trusted, commit, base, fork)"),
        ("{% for one in inputs %}\n{{ one.bdy }}{% endfor %}", "x.md:6: prompt: 'one' has no 'bdy'; did you mean 'body'?"),
        ("{{ branch.name }}", "x.md:5: prompt: 'branch' has no 'name' (there are: none)"),
        ("\n{{ item.body | shout }}", "x.md:6: prompt: No filter named 'shout'."),
        ("\n\n{{ 1 + 1 }}", "x.md:7: prompt: a prompt cannot use add expressions or statements"),
    ],
)  # fmt: skip
def test_a_slip_is_said_with_its_line_and_cure(body: str, expected: str) -> None:
    assert messages(body) == [expected]


def test_every_filter_that_is_offered_exists() -> None:
    for name in FILTERS:
        assert messages(f"{{{{ branch | {name} }}}}") == []
