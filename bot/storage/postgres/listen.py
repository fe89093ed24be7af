"""Hears at once what other hosts commit."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import psycopg

from bot.storage.postgres.connect import PostgresSettings, parameters
from bot.storage.postgres.faults import translated
from bot.storage.postgres.texts import Texts
from bot.storage.statements import Statements


async def listen(settings: PostgresSettings, statements: Statements) -> AsyncGenerator[None, None]:
    """
    Yield when it listens, and then whenever a store of another name has committed.

    It is a hint and never the truth: what is told while nobody listens is told to nobody. Raises ``StorageError``
    when the connection cannot be made, or is lost.
    """
    texts = Texts(statements)
    try:
        async with await psycopg.AsyncConnection.connect(
            settings.url, **parameters(settings), autocommit=True
        ) as connection:
            await connection.execute(texts.control("control_listen"))
            yield
            async for notice in connection.notifies():
                if notice.payload != settings.name:
                    yield
    except psycopg.Error as fault:
        raise translated(fault, "listen") from fault
