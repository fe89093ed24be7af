-- name: execution_renew
UPDATE executions SET lease_until = GREATEST(lease_until, :until)
WHERE id = :id AND epoch = :epoch AND phase <> 'finished' AND lease_until > :now
RETURNING lease_until
