-- name: hook_insert
INSERT INTO hooks (id, repository, url, secret, events, active, created_at, updated_at)
VALUES (:id, :repository, :url, :secret, :events, :active, :now, :now)

-- name: hook_by_id
SELECT * FROM hooks WHERE repository = :repository AND id = :id

-- name: hook_active
UPDATE hooks SET active = :active, updated_at = :now WHERE id = :id

-- name: hooks_list
SELECT *, count(*) OVER () AS total FROM hooks WHERE repository = :repository
ORDER BY id LIMIT :limit OFFSET :offset

-- name: hooks_listening
SELECT h.* FROM hooks h WHERE h.repository = :repository AND h.active
  AND EXISTS (SELECT 1 FROM json_each(h.events) e WHERE e.value IN ('*', :event))
ORDER BY h.id

-- name: delivery_insert
INSERT INTO deliveries (id, hook, guid, event, action, payload, redelivery, repository, installation, queued_at)
VALUES (:id, :hook, :guid, :event, :action, :payload, :redelivery, :repository, :installation, :now)

-- name: delivery_next
SELECT d.*, h.url AS url, h.secret AS secret,
    coalesce(h.app, h.repository) AS target, h.app IS NOT NULL AS of_app
FROM deliveries d JOIN hooks h ON h.id = d.hook
WHERE d.delivered_at IS NULL ORDER BY d.id LIMIT 1

-- name: delivery_done
UPDATE deliveries SET
    delivered_at = :now, duration = :duration, status_code = :status_code, status = :status, response = :response
WHERE id = :id

-- name: delivery_by_id
SELECT d.*, h.url AS url, h.secret AS secret,
    coalesce(h.app, h.repository) AS target, h.app IS NOT NULL AS of_app
FROM deliveries d JOIN hooks h ON h.id = d.hook
WHERE d.hook = :hook AND d.id = :id

-- name: deliveries_list
SELECT d.*, h.url AS url, h.secret AS secret,
    coalesce(h.app, h.repository) AS target, h.app IS NOT NULL AS of_app
FROM deliveries d JOIN hooks h ON h.id = d.hook
WHERE d.hook = :hook AND d.delivered_at IS NOT NULL AND d.id < :before
ORDER BY d.id DESC LIMIT :limit
