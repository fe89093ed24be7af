-- name: team_insert
INSERT INTO teams (id, organization, slug, name, created_at) VALUES (:id, :organization, :slug, :name, :now)

-- name: team_by_slug
SELECT t.*, (SELECT count(*) FROM team_members m WHERE m.team = t.id) AS members
FROM teams t JOIN accounts o ON o.id = t.organization
WHERE o.login = :organization AND t.slug = :slug

-- name: team_member_put
INSERT INTO team_members (team, account) VALUES (:team, :account) ON CONFLICT (team, account) DO NOTHING

-- name: team_member_delete
DELETE FROM team_members WHERE team = :team AND account = :account

-- name: team_member
SELECT account FROM team_members WHERE team = :team AND account = :account
