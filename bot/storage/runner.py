"""
Where storage calls run: on threads in production, at once in the calling coroutine in a simulation.

A *server* owns something that only one thread may use, such as a connection, and serves calls with it. A
*desk* takes calls from coroutines to its servers. What a server does is the same whoever runs it; only the
runner decides on which thread, and how many waiting calls a server is handed together.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, Protocol, TypeVar, cast

from bot.errors import StorageError

T = TypeVar("T")
SubjectT = TypeVar("SubjectT")
SubjectT_co = TypeVar("SubjectT_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Done:
    """The call returned this value."""

    value: object


@dataclass(frozen=True, kw_only=True)
class Failed:
    """The call raised this; its caller will see it."""

    error: Exception


class Call(Generic[SubjectT]):
    """One function on its way to a server, and the place where its caller waits for the outcome."""

    def __init__(self, work: Callable[[SubjectT], object]) -> None:
        self._work = work
        self.future: Future[Any] = Future()

    def begins(self) -> bool:
        """Mark the call as started, so that it is not cancelled; False when its caller gave up before."""
        return self.future.set_running_or_notify_cancel()

    def run(self, subject: SubjectT) -> Done | Failed:
        """
        Run the function, and catch whatever it raises.

        What would end a thread or an event loop (``SystemExit``, a cancellation, ``StopIteration``) comes
        back as a ``StorageError`` with the original as its cause.
        """
        try:
            value = self._work(subject)
        except StopIteration as error:
            return Failed(error=_wrapped(error))
        except Exception as error:  # noqa: BLE001 - it belongs to the caller, who gets it
            return Failed(error=error)
        except BaseException as error:  # noqa: BLE001 - one caller's exit must not end everybody's thread
            return Failed(error=_wrapped(error))
        if inspect.iscoroutine(value):
            value.close()
            return Failed(error=StorageError("a transaction is a plain function; nothing is awaited inside one"))
        return Done(value=value)

    def settle(self, outcome: Done | Failed) -> None:
        """Give the caller the outcome; the first outcome counts."""
        if self.future.done():
            return
        if isinstance(outcome, Done):
            self.future.set_result(outcome.value)
        else:
            self.future.set_exception(outcome.error)


def _wrapped(error: BaseException) -> StorageError:
    wrapper = StorageError(f"a transaction was left by {type(error).__name__}; nothing was written")
    wrapper.__cause__ = error
    return wrapper


class Server(Protocol[SubjectT]):
    """Serves calls with something that belongs to one thread. It is made, used and closed on that thread."""

    def serve(self, calls: Sequence[Call[SubjectT]]) -> None:
        """Run the calls that begin, in order, and settle each of them."""
        ...

    def close(self) -> None:
        """Give up what it owns."""
        ...


class Desk(Protocol[SubjectT_co]):
    """Takes calls from coroutines to servers."""

    async def ask(self, work: Callable[[SubjectT_co], T]) -> T:
        """
        Run ``work`` on a server and return its value, or raise what it raised.

        A cancelled caller whose call has begun does not stop it. Raises ``StorageError`` after ``close``.
        """
        ...

    async def close(self) -> None:
        """Serve what was asked before, then close the servers. May be called again."""
        ...


class Runner(Protocol):
    """Decides where servers run."""

    async def desk(self, open_server: Callable[[], Server[SubjectT]], *, servers: int, group: int) -> Desk[SubjectT]:
        """
        Open servers and return the desk before them. Raises what ``open_server`` raises.

        At most ``servers`` are opened, and one is handed at most ``group`` waiting calls together.
        """
        ...


def _closed() -> StorageError:
    return StorageError("the store is closed")


class InlineRunner:
    """Runs every call at once in the calling coroutine. Without threads, every run of a program is the same."""

    async def desk(self, open_server: Callable[[], Server[SubjectT]], *, servers: int, group: int) -> Desk[SubjectT]:
        """Open one server, on the thread of the caller."""
        del servers, group
        return _InlineDesk(open_server())


class _InlineDesk(Generic[SubjectT]):
    def __init__(self, server: Server[SubjectT]) -> None:
        self._server = server
        self._closed = False

    async def ask(self, work: Callable[[SubjectT], T]) -> T:
        if self._closed:
            raise _closed()
        call = Call(work)
        self._server.serve([call])
        return cast("T", call.future.result(timeout=0))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._server.close()


class ThreadRunner:
    """
    Runs each server on a thread of its own.

    The threads are daemons: a program that fails without closing its store ends at once, and what its
    threads were doing is what a crash leaves behind, which the database undoes.
    """

    def __init__(self, name: str = "storage") -> None:
        self._name = name

    async def desk(self, open_server: Callable[[], Server[SubjectT]], *, servers: int, group: int) -> Desk[SubjectT]:
        """Start the threads and wait until every server is open."""
        desk = _ThreadDesk(open_server, group)
        await desk.open(self._name, servers)
        return desk


class _ThreadDesk(Generic[SubjectT]):
    def __init__(self, open_server: Callable[[], Server[SubjectT]], group: int) -> None:
        self._open_server = open_server
        self._group = group
        self._queue: SimpleQueue[Call[SubjectT] | None] = SimpleQueue()
        self._door = Lock()
        self._closed = False
        self._threads: list[_Signals] = []

    async def open(self, name: str, servers: int) -> None:
        for number in range(servers):
            signals = _Signals()
            Thread(target=self._live, args=(signals,), name=f"{name}-{number}", daemon=True).start()
            self._threads.append(signals)
        try:
            for signals in self._threads:
                await asyncio.wrap_future(signals.opened)
        except BaseException:
            await self.close()
            raise

    async def ask(self, work: Callable[[SubjectT], T]) -> T:
        call = Call(work)
        with self._door:
            if self._closed:
                raise _closed()
            self._queue.put(call)
        return cast("T", await asyncio.wrap_future(call.future))

    async def close(self) -> None:
        with self._door:
            if not self._closed:
                self._closed = True
                for _ in self._threads:
                    self._queue.put(None)
        for signals in self._threads:
            await asyncio.wrap_future(signals.ended)

    def _live(self, signals: _Signals) -> None:
        try:
            server = self._open_server()
        except BaseException as error:  # noqa: BLE001 - it belongs to the coroutine that opens the desk
            signals.opened.set_exception(error)
            signals.ended.set_result(None)
            return
        signals.opened.set_result(None)
        while self._serve_next(server):
            pass
        try:
            server.close()
        except BaseException as error:  # noqa: BLE001 - it belongs to the coroutine that closes the desk
            signals.ended.set_exception(error)
        else:
            signals.ended.set_result(None)

    def _serve_next(self, server: Server[SubjectT]) -> bool:
        calls = self._take()
        if not calls:
            return False
        try:
            server.serve(calls)
        except BaseException as error:  # noqa: BLE001 - the callers are told and the thread serves the next ones
            for call in calls:
                call.settle(Failed(error=_wrapped(error)))
        return True

    def _take(self) -> list[Call[SubjectT]]:
        """Wait for a call; take with it what waits already. Nothing means that the desk was closed."""
        calls: list[Call[SubjectT]] = []
        call = self._queue.get()
        while call is not None:
            calls.append(call)
            if len(calls) == self._group:
                return calls
            try:
                call = self._queue.get_nowait()
            except Empty:
                return calls
        if calls:
            self._queue.put(None)
        return calls


class _Signals:
    """What a thread tells the coroutines that wait for it. Giving up the wait cannot cancel the thread."""

    def __init__(self) -> None:
        self.opened: Future[None] = Future()
        self.ended: Future[None] = Future()
        self.opened.set_running_or_notify_cancel()
        self.ended.set_running_or_notify_cancel()
