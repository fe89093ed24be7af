"""Two instances of the bot in one repository keep to their own comments (gh-L-14)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from bot.clock import Millis
from bot.setup.finding import Severity
from bot.setup.foreign import LATELY, foreign_writer
from bot.storage.contract import Tx
from bot.storage.threads import ThreadComment
from bot.views.foreign import Foreign, saw, seen
from bot.views.markers import Mark, is_marked, mark_of, marked_as, marker
from projectors.post import INTENT
from tests.clock import START, FakeClock
from tests.projectors.desk import ITEM, OTHER, Desk, Projecting, open_thread
from tests.projectors.samples import RUNNING, WORK
from tests.storage.twice import Writable

KEY = f"sticky:{ITEM}"
WORDS = "as an older version wrote it"


@pytest.fixture
def desk(clock: FakeClock) -> Desk:
    return Desk(clock=clock)


def bodies(desk: Desk) -> list[str]:
    return [comment.body for comment in desk.written.values()]


@pytest.mark.parametrize("instance", ["", "host-1f_x.9"])
def test_a_mark_tells_what_it_marks_and_who_wrote_it(instance: str) -> None:
    body = f"{marker(KEY, instance)}\nwords"
    assert mark_of(body) == Mark(KEY, instance)
    assert marked_as(body) == KEY
    assert is_marked(body)


@pytest.mark.parametrize("instance", ["a b", "a-->", "é"])
def test_a_name_that_could_end_a_mark_is_refused(instance: str) -> None:
    with pytest.raises(ValueError, match="cannot be a mark"):
        marker(KEY, instance)


async def test_a_comment_carries_the_name_of_the_instance_that_wrote_it(store: Writable[Tx], desk: Desk) -> None:
    await Projecting(store=store, desk=desk).show(WORK)
    assert [mark_of(body) for body in bodies(desk)] == [Mark(KEY, "host-a")]


async def test_a_comment_of_another_instance_is_left_as_it_is_and_the_log_says_so(
    store: Writable[Tx], desk: Desk
) -> None:
    # gh-L-14
    foreign = desk.put(f"{marker(KEY, 'host-b')}\nof another")
    with capture_logs() as logs:
        await Projecting(store=store, desk=desk).show(WORK)
    assert desk.written[foreign.id] == foreign
    assert [mark_of(body) for body in bodies(desk)] == [Mark(KEY, "host-b"), Mark(KEY, "host-a")]
    assert [each["instance"] for each in logs if each["event"] == "foreign_instance"] == ["host-b"]
    seen_now = await store.read(lambda tx: (foreign_writer(tx, START), foreign_writer(tx, Millis(START + LATELY))))
    assert [each.severity for each in seen_now] == [Severity.WARNING, Severity.FINE]
    assert "host-b, wrote into owner-1/repo-1#1" in seen_now[0].text


async def test_of_several_traces_the_latest_is_kept(store: Writable[Tx]) -> None:
    for at in (2, 3, 1):
        each = Foreign(instance=f"host-{at}", place="o/n#1", at=Millis(at))
        await store.write(lambda tx, each=each: saw(tx, each))  # type: ignore[misc]
    kept = await store.read(seen)
    assert kept is not None
    assert kept.instance == "host-3"


async def test_a_copy_of_the_database_writes_comments_of_its_own(store: Writable[Tx], desk: Desk) -> None:
    # gh-L-14
    await Projecting(store=store, desk=desk).show(WORK)
    (original,) = list(desk.written.values())
    copy = Projecting(store=store, desk=desk, instance="host-b")
    await copy.show(RUNNING)
    await copy.show(replace(RUNNING, attempt=2))
    assert desk.written[original.id] == original
    assert [mark_of(body) for body in bodies(desk)] == [Mark(KEY, "host-a"), Mark(KEY, "host-b")]


async def test_our_own_comment_is_found_again_when_the_database_was_lost(store: Writable[Tx], desk: Desk) -> None:
    # ag-J04
    ours = desk.put(f"{marker(KEY, 'host-a')}\n{WORDS}")
    await Projecting(store=store, desk=desk).show(WORK)
    assert list(desk.written) == [ours.id]
    assert WORDS not in desk.written[ours.id].body


async def test_an_old_mark_is_taken_for_ours_where_the_store_knows_of_the_comment(
    store: Writable[Tx], desk: Desk
) -> None:
    # gh-L-14
    old = desk.put(f"{marker(KEY)}\n{WORDS}")
    intent = ThreadComment(key=KEY, comment=INTENT, digest="")
    await open_thread(store)
    await store.write(lambda tx: tx.threads.put_comment(ITEM, intent))
    await Projecting(store=store, desk=desk).show(WORK)
    assert list(desk.written) == [old.id]
    assert WORDS not in desk.written[old.id].body


async def test_an_old_mark_is_not_taken_for_ours_where_the_store_knows_nothing_of_it(
    store: Writable[Tx], desk: Desk
) -> None:
    # gh-L-14
    old = desk.put(f"{marker(KEY)}\n{WORDS}")
    await Projecting(store=store, desk=desk).show(WORK)
    assert desk.written[old.id] == old
    assert len(desk.written) == 2


async def test_an_old_comment_whose_id_is_known_is_taken_over_with_a_new_mark(store: Writable[Tx], desk: Desk) -> None:
    old = desk.put(f"{marker(KEY)}\n{WORDS}")
    await open_thread(store)
    await store.write(lambda tx: tx.threads.put_comment(ITEM, ThreadComment(key=KEY, comment=old.id, digest="old")))
    await Projecting(store=store, desk=desk).show(WORK)
    assert [mark_of(body) for body in bodies(desk)] == [Mark(KEY, "host-a")]


@pytest.mark.parametrize("instance", ["", "host-a"])
async def test_our_mark_in_words_of_somebody_else_is_nothing(store: Writable[Tx], desk: Desk, instance: str) -> None:
    # ag-J04
    intent = ThreadComment(key=KEY, comment=INTENT, digest="")
    await open_thread(store)
    await store.write(lambda tx: tx.threads.put_comment(ITEM, intent))
    forged = desk.put(f"{marker(KEY, instance)}\nAll is well.", by=OTHER)
    await Projecting(store=store, desk=desk).show(WORK)
    assert desk.written[forged.id] == forged
    assert len(desk.written) == 2
