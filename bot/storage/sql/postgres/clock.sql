-- name: clock_now
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
