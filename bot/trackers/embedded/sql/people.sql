-- name: next_id
UPDATE sequence SET last = last + 1 RETURNING last AS id

-- name: account_insert
INSERT INTO accounts (id, login, name, kind, created_at) VALUES (:id, :login, :name, :kind, :now)

-- name: account_by_login
SELECT * FROM accounts WHERE login = :login

-- name: account_rename
UPDATE accounts SET login = :login WHERE id = :id

-- name: account_by_token
SELECT a.* FROM tokens t JOIN accounts a ON a.id = t.account WHERE t.digest = :digest

-- name: accounts_all
SELECT * FROM accounts WHERE kind <> 'Organization' ORDER BY kind DESC, id

-- name: token_insert
INSERT INTO tokens (digest, account, created_at) VALUES (:digest, :account, :now)

-- name: repository_insert
INSERT INTO repositories (id, owner, name, default_branch, private, created_at)
VALUES (:id, :owner, :name, :default_branch, :private, :now)

-- name: repository_by_name
SELECT * FROM repository_rows WHERE owner_login = :owner COLLATE NOCASE AND name = :name

-- name: repository_by_id
SELECT * FROM repository_rows WHERE id = :id

-- name: repository_by_former_name
SELECT r.* FROM former_names f JOIN accounts o ON o.id = f.owner JOIN repository_rows r ON r.id = f.repository
WHERE o.login = :owner AND f.name = :name

-- name: repository_move
UPDATE repositories SET owner = :owner, name = :name WHERE id = :id

-- name: former_name_put
INSERT INTO former_names (owner, name, repository) VALUES (:owner, :name, :repository)
ON CONFLICT (owner, name) DO UPDATE SET repository = excluded.repository

-- name: repositories_all
SELECT * FROM repository_rows ORDER BY owner_login, name

-- name: repository_next_number
UPDATE repositories SET last_number = last_number + 1 WHERE id = :id RETURNING last_number AS number

-- name: grant_put
INSERT INTO grants (repository, account, role) VALUES (:repository, :account, :role)
ON CONFLICT (repository, account) DO UPDATE SET role = excluded.role

-- name: grant_delete
DELETE FROM grants WHERE repository = :repository AND account = :account

-- name: grant_of
SELECT role FROM grants WHERE repository = :repository AND account = :account
