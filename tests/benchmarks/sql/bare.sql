-- name: bare_table
CREATE TABLE bare (guid TEXT PRIMARY KEY, payload BLOB NOT NULL)

-- name: bare_insert
INSERT INTO bare (guid, payload) VALUES (:guid, :payload)

-- name: bare_stored
SELECT COUNT(*) FROM bare

-- name: receiver_stored
SELECT COUNT(*)
FROM deliveries d JOIN delivery_events l ON l.guid = d.guid JOIN events e ON e.natural_key = l.natural_key
WHERE e.routing = 'pending'
