"""Which database the host keeps what it knows in: a file in its data directory, or PostgreSQL where one is named."""

from __future__ import annotations

from bot.errors import ConfigError
from bot.host.config import Config
from bot.storage.contract import Store, Tx
from bot.storage.migrate import for_dialect as migrations
from bot.storage.runner import Runner
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import for_dialect as statements


async def open_store(config: Config, runner: Runner) -> Store:
    """
    Open the database.

    Raises ``StorageError``, and ``ConfigError`` when PostgreSQL is asked for and its driver is not installed.
    """
    url = config.database.url.get_secret_value()
    if url:
        return await _open_postgres(url, runner)
    store: SqliteStore[Tx] = await SqliteStore.open(
        SqliteSettings(path=config.data / "trackside.db"),
        bind=Tx,
        statements=statements("sqlite"),
        migrations=migrations("sqlite"),
        runner=runner,
    )
    return store


async def _open_postgres(url: str, runner: Runner) -> Store:
    try:
        from bot.storage.postgres.connect import PostgresSettings  # noqa: PLC0415 - the driver is an extra
        from bot.storage.postgres.store import PostgresStore  # noqa: PLC0415 - as above
    except ImportError as error:
        message = "database.url: PostgreSQL needs its driver: pip install 'trackside[postgres]'"
        raise ConfigError(message) from error
    store: PostgresStore[Tx] = await PostgresStore.open(
        PostgresSettings(url=url),
        bind=Tx,
        statements=statements("postgres"),
        migrations=migrations("postgres"),
        runner=runner,
    )
    return store
