-- name: app_insert
INSERT INTO apps (
    id, owner, bot, slug, name, description, external_url, setup_url, client_id, permissions, events,
    code, code_until, created_at, updated_at)
VALUES (
    :id, :owner, :bot, :slug, :name, :description, :external_url, :setup_url, :client_id, :permissions, :events,
    :code, :code_until, :now, :now)

-- name: app_by_id
SELECT * FROM app_rows WHERE id = :id

-- name: app_by_slug
SELECT * FROM app_rows WHERE slug = :slug

-- name: app_by_client_id
SELECT * FROM app_rows WHERE client_id = :client_id

-- name: app_by_name
SELECT id FROM apps WHERE name = :name OR slug = :slug

-- name: app_by_code
SELECT * FROM app_rows WHERE code = :code AND code_until > :now

-- name: app_key
UPDATE apps SET public_key = :public_key, code = NULL, code_until = NULL, updated_at = :now WHERE id = :id

-- name: app_allow
UPDATE apps SET permissions = :permissions, events = :events, updated_at = :now WHERE id = :id

-- name: app_hook_insert
INSERT INTO hooks (id, app, url, secret, events, active, created_at, updated_at)
VALUES (:id, :app, :url, :secret, '["*"]', :active, :now, :now)

-- name: app_hook
SELECT * FROM hooks WHERE app = :app

-- name: app_hook_update
UPDATE hooks SET url = :url, secret = :secret, active = :active, updated_at = :now WHERE id = :id

-- name: app_hooks_listening
SELECT h.*, i.id AS installation FROM hooks h
JOIN installations i ON i.app = h.app
JOIN covered c ON c.installation = i.id AND c.repository = :repository
WHERE h.active AND i.suspended_at IS NULL
  AND EXISTS (SELECT 1 FROM json_each(i.events) e WHERE e.value = :event)
ORDER BY h.id

-- name: installation_insert
INSERT INTO installations (id, app, account, selection, permissions, events, created_at, updated_at)
VALUES (:id, :app, :account, :selection, :permissions, :events, :now, :now)

-- name: installation_by_id
SELECT * FROM installation_rows WHERE id = :id

-- name: installation_of_account
SELECT * FROM installation_rows WHERE app = :app AND account_login = :login COLLATE NOCASE

-- name: installation_of_repository
SELECT i.* FROM installation_rows i JOIN covered c ON c.installation = i.id AND c.repository = :repository
WHERE i.app = :app

-- name: installations_of_app
SELECT *, count(*) OVER () AS total FROM installation_rows WHERE app = :app
ORDER BY id LIMIT :limit OFFSET :offset

-- name: installation_suspend
UPDATE installations SET suspended_at = :suspended_at, suspended_by = :suspended_by, updated_at = :now WHERE id = :id

-- name: installation_allow
UPDATE installations SET permissions = :permissions, events = :events, updated_at = :now WHERE id = :id

-- name: installation_select
UPDATE installations SET selection = :selection, updated_at = :now WHERE id = :id

-- name: installation_delete
DELETE FROM installations WHERE id = :id

-- name: installation_repository_put
INSERT INTO installation_repositories (installation, repository) VALUES (:installation, :repository)
ON CONFLICT (installation, repository) DO NOTHING

-- name: installation_repository_delete
DELETE FROM installation_repositories WHERE installation = :installation AND repository = :repository

-- name: installations_covering
SELECT i.* FROM installation_rows i JOIN covered c ON c.installation = i.id AND c.repository = :repository
ORDER BY i.id

-- name: covered_repositories
SELECT r.* FROM repository_rows r JOIN covered c ON c.repository = r.id
WHERE c.installation = :installation ORDER BY r.id

-- name: bot_covers
SELECT 1 AS found FROM apps a JOIN installations i ON i.app = a.id JOIN covered c ON c.installation = i.id
WHERE a.bot = :account AND c.repository = :repository AND i.suspended_at IS NULL

-- name: installation_token_insert
INSERT INTO installation_tokens (digest, installation, permissions, repositories, expires_at)
VALUES (:digest, :installation, :permissions, :repositories, :expires_at)

-- name: installation_token
SELECT * FROM installation_tokens WHERE digest = :digest AND expires_at > :now
