-- name: one_name
SELECT 1;
