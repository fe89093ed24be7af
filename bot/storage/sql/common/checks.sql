-- name: shown_checks_of_item
SELECT * FROM shown_checks WHERE item = :item ORDER BY name, head

-- name: shown_check_put
INSERT INTO shown_checks (item, name, head, external, digest, ended)
VALUES (:item, :name, :head, :external, :digest, :ended)
ON CONFLICT (item, name, head)
DO UPDATE SET external = excluded.external, digest = excluded.digest, ended = excluded.ended

-- name: shown_check_forget
DELETE FROM shown_checks WHERE item = :item AND name = :name AND head = :head
