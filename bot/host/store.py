"""Which database the host keeps what it knows in: a file in its data directory, or PostgreSQL where one is named."""

from __future__ import annotations

from bot.errors import ConfigError
from bot.host.config import Config
from bot.storage.contract import Store, Tx
from bot.storage.migrate import for_dialect as migrations
from bot.storage.runner import Runner
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.look import lacking as sqlite_lacking
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import for_dialect as statements

FILE = "trackside.db"
_NO_DRIVER = "database.url: PostgreSQL needs its driver: pip install 'trackside[postgres]'"


async def open_store(config: Config, runner: Runner) -> Store:
    """
    Open the database.

    Raises ``StorageError``, and ``ConfigError`` when PostgreSQL is asked for and its driver is not installed.
    """
    url = config.database.url.get_secret_value()
    if url:
        return await _open_postgres(url, runner)
    store: SqliteStore[Tx] = await SqliteStore.open(
        SqliteSettings(path=config.data / FILE),
        bind=Tx,
        statements=statements("sqlite"),
        migrations=migrations("sqlite"),
        runner=runner,
    )
    return store


def lacking(config: Config) -> int | None:
    """
    Return how many migrations the database lacks, None when there is no database yet; nothing is changed.

    Raises as ``open_store`` does.
    """
    url = config.database.url.get_secret_value()
    if not url:
        return sqlite_lacking(config.data / FILE, statements("sqlite"), migrations("sqlite"))
    try:
        from bot.storage.postgres.connect import Connector, PostgresSettings  # noqa: PLC0415 - the driver is an extra
        from bot.storage.postgres.look import lacking as postgres_lacking  # noqa: PLC0415 - as above
    except ImportError as error:
        raise ConfigError(_NO_DRIVER) from error
    texts = statements("postgres")
    return postgres_lacking(Connector(PostgresSettings(url=url), texts), texts, migrations("postgres"))


async def _open_postgres(url: str, runner: Runner) -> Store:
    try:
        from bot.storage.postgres.connect import PostgresSettings  # noqa: PLC0415 - the driver is an extra
        from bot.storage.postgres.store import PostgresStore  # noqa: PLC0415 - as above
    except ImportError as error:
        raise ConfigError(_NO_DRIVER) from error
    store: PostgresStore[Tx] = await PostgresStore.open(
        PostgresSettings(url=url),
        bind=Tx,
        statements=statements("postgres"),
        migrations=migrations("postgres"),
        runner=runner,
    )
    return store
