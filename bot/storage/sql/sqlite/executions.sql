-- name: execution_renew
UPDATE executions SET lease_until = MAX(lease_until, :until)
WHERE id = :id AND epoch = :epoch AND phase <> 'finished' AND lease_until > :now
RETURNING lease_until
