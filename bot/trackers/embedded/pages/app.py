"""The application of the pages."""

from __future__ import annotations

from starlette.applications import Starlette

from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.pull_desk import PullDesk


def build_pages(desk: Desk, pull_desk: PullDesk) -> Starlette:
    """Put the pages together."""
    pages = Starlette()
    pages.state.desk, pages.state.pull_desk = desk, pull_desk
    return pages
