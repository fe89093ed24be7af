-- name: line_insert
INSERT INTO lines (id, thread, review, author, path, line, body, commit_id, created_at, updated_at)
VALUES (:id, :thread, :review, :author, :path, :line, :body, :commit_id, :now, :now)

-- name: lines_of_review
SELECT *, count(*) OVER () AS total FROM line_rows WHERE review = :review
ORDER BY id LIMIT :limit OFFSET :offset

-- name: lines_of_thread
SELECT *, count(*) OVER () AS total FROM line_rows WHERE thread = :thread
ORDER BY id LIMIT :limit OFFSET :offset

-- name: line_by_id
SELECT * FROM line_rows WHERE id = :id
