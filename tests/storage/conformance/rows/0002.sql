-- The tables that the second migration adds.

-- name: rows_0002_01_subscription
INSERT INTO subscriptions (work, key, statuses) VALUES ('wrk-1', 'item:1/2', '["done"]')

-- name: rows_0002_02_ledger
INSERT INTO ledgers (key, used, since) VALUES ('usd/all/life', 500000, 1)

-- name: rows_0002_03_reservation
INSERT INTO reservations (execution, ledger, amount) VALUES ('exe-1', 'usd/all/life', 2000000)

-- name: rows_0002_04_staged_usage
INSERT INTO staged_usage (id, execution, claimed_at, units, staged_at) VALUES ('exe-1/1', 'exe-1', 1, '{"usd":0.5}', 2)

-- name: rows_0002_05_raise
INSERT INTO raises (source, item, playbook, unit, amount, login, raised_at)
VALUES ('comment/1', 'item:1/1', 'work-issue', 'usd', 5000000, 'ada', 1)

-- name: rows_0002_06_account
INSERT INTO accounts (name, until, reason, credentials, paused_at, released_at, probed_at)
VALUES ('provider', 5, 'usage limit', 'digest', 1, 6, 7)

-- name: rows_0002_07_control
INSERT INTO controls (
    id, work, execution, epoch, kind, seq, state, token, lease_until, tries, next_at, note, created_at, settled_at
) VALUES ('ctl-1', 'wrk-1', 'exe-1', 1, 'inject', 1, 'pending', '', 0, 0, 0, '', 1, NULL)

-- name: rows_0002_08_generation
INSERT INTO generations (digest, document, claimed_at) VALUES ('generation-1', '{}', 1)
