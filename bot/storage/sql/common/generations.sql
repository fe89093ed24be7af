-- name: generation_keep
INSERT INTO generations (digest, document, claimed_at) VALUES (:digest, :document, :now)
ON CONFLICT (digest) DO UPDATE SET claimed_at = excluded.claimed_at

-- name: generation_by_digest
SELECT * FROM generations WHERE digest = :digest

-- name: generations_all
SELECT * FROM generations ORDER BY claimed_at, digest

-- name: generations_prune
DELETE FROM generations WHERE claimed_at < :before AND digest NOT IN (
    SELECT generation FROM executions WHERE phase <> 'finished'
    UNION
    SELECT generation FROM executions WHERE slot = 1
)
