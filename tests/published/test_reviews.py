from __future__ import annotations

from tests.published.operations import OPERATIONS


# ag-D09, ag-D11
def test_the_bot_gives_no_review_and_so_approves_nothing() -> None:
    writing = [each for each in OPERATIONS if not each.startswith("GET ")]
    assert writing
    assert [each for each in writing if "/reviews" in each] == []
