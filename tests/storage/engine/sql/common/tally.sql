-- name: tally_new
INSERT INTO tally (name, count) VALUES (:name, :count);

-- name: tally_new_or_not
INSERT INTO tally (name, count) VALUES (:name, :count) ON CONFLICT DO NOTHING;

-- name: tally_add
UPDATE tally SET count = count + :more WHERE name = :name;

-- name: tally_add_with
-- Begins with WITH, so that the driver does not count by itself.
WITH chosen AS (SELECT name FROM tally WHERE name = :name)
UPDATE tally SET count = count + :more WHERE name IN (SELECT name FROM chosen);

-- name: tally_add_returning
UPDATE tally SET count = count + :more WHERE name = :name RETURNING count;

-- name: tally_count
SELECT count FROM tally WHERE name = :name;

-- name: tally_all
SELECT name, count FROM tally ORDER BY name;

-- name: tally_sum
SELECT coalesce(sum(count), 0) AS total FROM tally;

-- name: tally_data
UPDATE tally SET data = :data WHERE name = :name;

-- name: tally_get_data
SELECT data FROM tally WHERE name = :name;

-- name: tally_text
SELECT ':name is not a parameter here' AS quoted, :text AS text; -- nor :here

-- name: mark_new
INSERT INTO mark (id, tally) VALUES (:id, :tally);

-- name: mark_ids
SELECT id FROM mark ORDER BY id;

-- name: tally_set
UPDATE tally SET count = :count WHERE name = :name;
