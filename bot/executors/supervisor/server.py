"""
The supervisor's loop: take a request, fork a monitor, see children end.

The connection of a launch is handed to the forked monitor, which answers when the command has started, so
that the loop never waits for anything but its selector.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import sys
import traceback
from typing import NoReturn

from bot.executors.supervisor import wire
from bot.executors.supervisor.family import Family
from bot.executors.supervisor.monitor import LaunchOrder, Monitor

IDLE = 600
"""Seconds without a request and without a run after which the supervisor ends; the next host starts one."""


class Server:
    """Serves one listening socket; ``lock`` is the descriptor that says there is one supervisor."""

    def __init__(self, listener: socket.socket, lock: int) -> None:
        self._listener = listener
        self._lock = lock
        self._selector = selectors.DefaultSelector()
        self._received: dict[socket.socket, bytes] = {}
        self._settling: dict[socket.socket, wire.Settle] = {}
        self._family = Family()
        self._stopping = False
        self._woken, self._waker = socket.socketpair()

    def serve(self, idle: float = IDLE) -> None:
        """Serve until TERM, or until nobody needs it for ``idle`` seconds."""
        for end in (self._listener, self._woken, self._waker):
            end.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._stop)
        for end in (self._listener, self._woken):
            self._selector.register(end, selectors.EVENT_READ)
        while not self._stopping:
            ready = self._selector.select(idle)
            if not ready and self._family.empty and not self._received and not self._settling:
                break
            for key, _ in ready:
                self._handle(key.fileobj)
        self._close()

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _handle(self, ready: object) -> None:
        if ready is self._listener:
            self._accept()
        elif ready is self._woken:
            self._woken.recv(4096)
            self._family.look()
            self._answer_settled()
        elif isinstance(ready, socket.socket):
            self._read(ready)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            # whoever it was is gone again
            return
        connection.setblocking(False)
        self._received[connection] = b""
        self._selector.register(connection, selectors.EVENT_READ)

    def _read(self, connection: socket.socket) -> None:
        try:
            chunk = connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        received = self._received[connection] + chunk
        if chunk and b"\n" not in chunk and len(received) < wire.LINE_LIMIT:
            self._received[connection] = received
            return
        del self._received[connection]
        self._selector.unregister(connection)
        try:
            request = wire.decode(received)
        except (ValueError, KeyError, TypeError):
            connection.close()
            return
        if isinstance(request, LaunchOrder):
            self._launch(request, connection)
        else:
            self._settling[connection] = request
            self._family.look()
            self._answer_settled()

    def _launch(self, order: LaunchOrder, connection: socket.socket) -> None:
        pid = os.fork()
        if pid == 0:
            self._become_monitor(order, connection)
        self._family.adopt(pid, order.run)
        connection.close()

    def _become_monitor(self, order: LaunchOrder, connection: socket.socket) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            # above all the lock: held here, it would keep the next supervisor from starting
            self._close()
            monitor = Monitor(order)
            started = monitor.launch()
            _answer(connection)
            if started:
                monitor.attend()
        except BaseException:  # noqa: BLE001 - nothing may get back into the supervisor's loop
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(0)

    def _answer_settled(self) -> None:
        for connection, request in list(self._settling.items()):
            if self._family.is_settled(request.run):
                del self._settling[connection]
                _answer(connection)

    def _close(self) -> None:
        for end in (*self._received, *self._settling, self._listener, self._woken, self._waker):
            end.close()
        self._selector.close()
        os.close(self._lock)


def _answer(connection: socket.socket) -> None:
    try:
        connection.setblocking(True)
        connection.sendall(wire.DONE)
    except OSError:
        # the host is gone; it, or the next one, reads the files
        pass
    connection.close()
