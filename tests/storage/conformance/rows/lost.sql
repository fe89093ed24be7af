-- A Work that an older version has ended.

-- name: lost_work
UPDATE works SET state = 'cancelled', ended_by = :ended_by, reason = :reason WHERE id = 'wrk-1'
