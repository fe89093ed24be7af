-- name: account_by_name
SELECT * FROM accounts WHERE name = :name

-- name: accounts
SELECT * FROM accounts ORDER BY name

-- name: account_put
INSERT INTO accounts (name, until, reason, credentials, paused_at, released_at, probed_at)
VALUES (:name, :until, :reason, :credentials, :paused_at, :released_at, :probed_at)
ON CONFLICT (name) DO UPDATE SET
    until = excluded.until, reason = excluded.reason, credentials = excluded.credentials,
    paused_at = excluded.paused_at, released_at = excluded.released_at, probed_at = excluded.probed_at

-- name: account_remove
DELETE FROM accounts WHERE name = :name
