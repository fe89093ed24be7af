-- name: execution_renew
UPDATE executions SET lease_until = MAX(lease_until, :until)
WHERE id = :id AND epoch = :epoch AND phase NOT IN ('finished', 'parked') AND lease_until > :now
RETURNING lease_until
