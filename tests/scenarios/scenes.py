"""Marks that say on which stage a scenario plays."""

from __future__ import annotations

import pytest

from tests.scenarios.playbooks import Agent

webhooks_only = pytest.mark.parametrize("webhooks", [True], ids=["webhooks"])
"""About deliveries themselves, so that there is nothing to see without them."""
silent_only = pytest.mark.parametrize("webhooks", [False], ids=["silent"])
"""Not about how news arrive; played where the bot has to find all of it."""
one_slot = pytest.mark.parametrize("slots", [1], ids=[""])


def behaves(
    script: str = ":", *, default: str = "done", gates: str = "[]", budgets: str = "[]"
) -> pytest.MarkDecorator:
    """Give the scenario an agent of its own."""
    return pytest.mark.parametrize(
        "agent", [Agent(script=script, default=default, gates=gates, budgets=budgets)], ids=[""]
    )
