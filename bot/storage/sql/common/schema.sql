-- Which migrations this database has had.

-- name: schema_create
CREATE TABLE IF NOT EXISTS schema_migrations (
    version  INTEGER PRIMARY KEY,
    name     TEXT NOT NULL,
    checksum TEXT NOT NULL
);

-- name: schema_applied
SELECT version, name, checksum FROM schema_migrations ORDER BY version;

-- name: schema_record
INSERT INTO schema_migrations (version, name, checksum) VALUES (:version, :name, :checksum);
