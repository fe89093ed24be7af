-- name: status_insert
INSERT INTO statuses (id, repository, sha, context, state, description, target_url, creator, created_at)
VALUES (:id, :repository, :sha, :context, :state, :description, :target_url, :creator, :now)

-- name: statuses_of_context
SELECT id FROM statuses WHERE repository = :repository AND sha = :sha AND context = :context

-- name: statuses_list
SELECT *, count(*) OVER () AS total FROM status_rows WHERE repository = :repository AND sha = :sha
ORDER BY id DESC LIMIT :limit OFFSET :offset

-- name: statuses_latest
SELECT * FROM status_rows s WHERE repository = :repository AND sha = :sha
  AND NOT EXISTS (SELECT 1 FROM statuses l
                  WHERE l.repository = s.repository AND l.sha = s.sha AND l.context = s.context AND l.id > s.id)
ORDER BY id

-- name: app_of_bot
SELECT id FROM apps WHERE bot = :bot

-- name: check_suite_insert
INSERT INTO check_suites (id, repository, app, sha, branch, head_commit, created_at, updated_at)
VALUES (:id, :repository, :app, :sha, :branch, :head_commit, :now, :now)

-- name: check_suite_of_app
SELECT * FROM check_suite_rows WHERE repository = :repository AND app = :app AND sha = :sha

-- name: check_suite_by_id
SELECT * FROM check_suite_rows WHERE id = :id

-- name: check_suite_touch
UPDATE check_suites SET updated_at = :now WHERE id = :id

-- name: check_suites_list
SELECT *, count(*) OVER () AS total FROM check_suite_rows WHERE repository = :repository AND sha = :sha
ORDER BY id LIMIT :limit OFFSET :offset

-- name: check_run_insert
INSERT INTO check_runs (id, suite, name, status, external_id, started_at)
VALUES (:id, :suite, :name, 'queued', '', :now)

-- name: check_run_update
UPDATE check_runs SET
    name = :name, status = :status, conclusion = :conclusion, external_id = :external_id,
    details_url = :details_url, title = :title, summary = :summary, text = :text, completed_at = :completed_at
WHERE id = :id

-- name: check_run_by_id
SELECT * FROM check_run_rows WHERE suite_repository = :repository AND id = :id

-- name: check_runs_list
SELECT *, count(*) OVER () AS total FROM check_run_rows
WHERE suite_repository = :repository AND suite_sha = :sha AND (:every OR latest)
  AND (:name IS NULL OR name = :name)
  AND (:status IS NULL OR status = :status)
  AND (:app IS NULL OR suite_app = :app)
ORDER BY id DESC LIMIT :limit OFFSET :offset

-- name: pulls_at
SELECT * FROM pull_rows WHERE repository = :repository AND head_sha = :sha AND state = 'open' ORDER BY number

-- name: pulls_stir
UPDATE threads SET version = version + 1
WHERE repository = :repository AND id IN (SELECT thread FROM pulls WHERE head_sha = :sha)
