"""The outbox of threads and notes; scopes, items and cursors beside it."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.scope import ROOT, Scope, ScopeKind, owner_scope, repository_scope
from bot.storage.checks import INTENT, STATUS, ShownCheck
from bot.storage.contract import Tx
from bot.storage.threads import Note, NoteKind, Thread, ThreadComment
from tests.clock import START
from tests.factories import put_place
from tests.storage.conformance.conftest import Store

LATER = Millis(START + 1)
ITEM = "item:1/1"


async def thread(store: Store, item: str = ITEM) -> Thread:
    found = await store.read(lambda tx: tx.threads.get(item))
    assert found is not None
    return found


async def due(store: Store, now: Millis = START) -> list[str]:
    return [each.item for each in await store.read(lambda tx: tx.threads.due(now))]


async def touched(store: Store) -> Thread:
    await store.write(put_place)
    await store.write(lambda tx: tx.threads.touch(ITEM))
    return await thread(store)


async def test_a_thread_is_due_until_its_newest_version_is_shown(store: Store, other: Store) -> None:
    # gh-O-05
    assert (await touched(store)).wanted == 1
    await other.write(lambda tx: tx.threads.touch(ITEM))
    assert await due(store) == [ITEM]
    await store.write(lambda tx: tx.threads.shown(ITEM, 1))
    assert await due(store) == [ITEM], "it changed while its first version was shown"
    await store.write(lambda tx: tx.threads.shown(ITEM, 2))
    await store.write(lambda tx: tx.threads.shown(ITEM, 1))
    assert (await thread(store)).shown == 2
    assert await due(store) == []


async def test_a_thread_that_was_postponed_is_due_later(store: Store) -> None:
    seen = await touched(store)
    await store.write(lambda tx: tx.threads.postpone(seen, until=LATER))
    assert (await due(store, START), await due(store, LATER)) == ([], [ITEM])
    assert (await thread(store)).tries == 1
    await store.write(lambda tx: tx.threads.shown(ITEM, 1))
    assert (await thread(store)).tries == 0


async def test_a_wait_that_was_asked_for_is_no_try(store: Store) -> None:
    seen = await touched(store)
    await store.write(lambda tx: tx.threads.postpone(seen, until=LATER, counted=False))
    assert (await due(store, START), await due(store, LATER)) == ([], [ITEM])
    assert (await thread(store)).tries == 0


async def test_a_thread_is_unparked_by_its_item_its_repository_and_its_owner(store: Store) -> None:
    # ag-J06
    await touched(store)
    for here, elsewhere in (
        (lambda tx: tx.threads.unpark_item(ITEM), lambda tx: tx.threads.unpark_item("item:1/2")),
        (
            lambda tx: tx.threads.unpark_scope(repository_scope(1)),
            lambda tx: tx.threads.unpark_scope(repository_scope(2)),
        ),
        (lambda tx: tx.threads.unpark_scope(owner_scope(1)), lambda tx: tx.threads.unpark_scope(owner_scope(2))),
    ):
        await store.write(lambda tx: tx.threads.park(ITEM, "locked"))
        assert (await store.write(elsewhere), await due(store)) == (0, [])
        assert (await store.write(here), await due(store)) == (1, [ITEM])
        assert await store.write(here) == 0


async def test_a_parked_thread_waits_for_its_next_change(store: Store) -> None:
    await touched(store)
    await store.write(lambda tx: tx.threads.park(ITEM, "locked"))
    assert await due(store) == []
    assert [each.parked for each in await store.read(lambda tx: tx.threads.parked())] == ["locked"]
    await store.write(lambda tx: tx.threads.touch(ITEM))
    assert await due(store) == [ITEM]
    assert await store.read(lambda tx: tx.threads.parked()) == []


async def test_our_own_comments_are_known(store: Store) -> None:
    await touched(store)
    sticky = ThreadComment(key="sticky", comment=2**40, digest="a")
    await store.write(lambda tx: tx.threads.put_comment(ITEM, sticky))
    rewritten = replace(sticky, comment=7, digest="b")
    await store.write(lambda tx: tx.threads.put_comment(ITEM, rewritten))
    assert await store.read(lambda tx: tx.threads.comments(ITEM)) == [rewritten]
    assert await store.read(lambda tx: tx.threads.is_ours(7))
    assert not await store.read(lambda tx: tx.threads.is_ours(2**40))


async def queued(store: Store, note: Note) -> bool:
    return await store.write(lambda tx: tx.notes.add(note))


async def test_a_note_is_one_row_however_often_it_is_queued(store: Store, other: Store) -> None:
    await touched(store)
    note = Note(item=ITEM, kind=NoteKind.REPLY, source="comment:1", body="§ 🙂")
    assert await store.write(lambda tx: tx.notes.add(note))
    assert not await other.write(lambda tx: tx.notes.add(replace(note, body="another")))
    assert await store.write(lambda tx: tx.notes.add(replace(note, kind=NoteKind.EYES, target=5)))
    reply, eyes = await store.read(lambda tx: tx.notes.pending())
    assert (reply.body, reply.target) == ("§ 🙂", None)
    assert (eyes.kind, eyes.target) == (NoteKind.EYES, 5)


async def test_a_note_that_was_made_or_given_up_is_not_queued_again(store: Store) -> None:
    await touched(store)
    notes = [Note(item=ITEM, kind=NoteKind.EYES, source=f"comment:{number}") for number in (1, 2, 3)]
    assert [await queued(store, note) for note in notes] == [True, True, True]
    first, second, third = await store.read(lambda tx: tx.notes.due(START))
    await store.write(lambda tx: tx.notes.done(first))
    await store.write(lambda tx: tx.notes.failed(second, "locked"))
    await store.write(lambda tx: tx.notes.postpone(third, until=LATER, error="down"))
    assert await store.read(lambda tx: tx.notes.due(START)) == []
    assert await store.read(lambda tx: tx.notes.due(LATER)) == [replace(third, tries=1)]
    assert [await queued(store, note) for note in notes] == [False, False, False]
    assert [note.id for note in await store.read(lambda tx: tx.notes.pending())] == [third.id]


async def test_a_scope_has_its_newest_name_and_the_line_up_to_the_root(store: Store) -> None:
    await store.write(put_place)
    here, above = repository_scope(1), owner_scope(1)
    renamed = Scope(id=here, parent=above, kind=ScopeKind.REPOSITORY, name="owner/new")
    await store.write(lambda tx: tx.scopes.put(renamed))
    assert await store.read(lambda tx: tx.scopes.get(here)) == renamed
    assert await store.read(lambda tx: tx.scopes.line(here)) == [here, above, ROOT]
    assert await store.read(lambda tx: tx.scopes.line(ROOT)) == [ROOT]
    assert await store.read(lambda tx: tx.scopes.get(repository_scope(9))) is None


async def test_the_cursor_of_an_item_never_moves_back(store: Store) -> None:
    await store.write(put_place)
    await store.write(lambda tx: tx.items.advance(ITEM, 9))
    await store.write(lambda tx: tx.items.advance(ITEM, 7))
    await store.write(put_place)
    item = await store.read(lambda tx: tx.items.get(ITEM))
    assert item is not None
    assert (item.cursor, item.number, item.scope) == (9, 1, repository_scope(1))
    assert await store.read(lambda tx: tx.items.get("item:9/9")) is None


async def test_a_named_mark_is_the_last_one_that_was_set(store: Store, other: Store) -> None:
    assert await store.read(lambda tx: tx.cursors.get("sweep")) is None
    await store.write(lambda tx: tx.cursors.put("sweep", "a"))
    await other.write(lambda tx: tx.cursors.put("sweep", "b"))
    assert await store.read(lambda tx: tx.cursors.get("sweep")) == "b"


async def test_our_own_checks_are_known_by_item_name_and_commit(store: Store, other: Store) -> None:
    await touched(store)
    first = ShownCheck(name="trackside/turn", head="a", external=INTENT, digest="", ended=False)
    second = replace(first, head="b", external=STATUS)

    def put(tx: Tx) -> None:
        for check in (first, second):
            tx.checks.put(ITEM, check)

    await store.write(put)
    made = replace(first, external=7, digest="d", ended=True)
    await other.write(lambda tx: tx.checks.put(ITEM, made))
    assert await store.read(lambda tx: tx.checks.of_item(ITEM)) == [made, second]
    await store.write(lambda tx: tx.checks.forget(ITEM, made))
    assert await other.read(lambda tx: tx.checks.of_item(ITEM)) == [second]
    assert await store.read(lambda tx: tx.checks.of_item("item:1/9")) == []
