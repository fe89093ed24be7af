-- name: subscription_put
INSERT INTO subscriptions (work, key, statuses) VALUES (:work, :key, :statuses)
ON CONFLICT (work, key) DO UPDATE SET statuses = excluded.statuses

-- name: subscriptions_of_work
SELECT * FROM subscriptions WHERE work = :work ORDER BY key

-- name: subscriptions_to_key
SELECT * FROM subscriptions WHERE key = :key ORDER BY work

-- name: subscriptions_remove
DELETE FROM subscriptions WHERE work = :work
