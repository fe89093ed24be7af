-- name: one_name
SELECT 2;
