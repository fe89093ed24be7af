-- name: sequence
CREATE TABLE IF NOT EXISTS sequence (last INTEGER NOT NULL)

-- name: sequence_start
INSERT INTO sequence (last) SELECT 1000 WHERE NOT EXISTS (SELECT 1 FROM sequence)

-- name: accounts
CREATE TABLE IF NOT EXISTS accounts (
    id INTEGER PRIMARY KEY,
    login TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('User', 'Bot', 'Organization')),
    created_at INTEGER NOT NULL
)

-- name: tokens
CREATE TABLE IF NOT EXISTS tokens (
    digest TEXT PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id),
    created_at INTEGER NOT NULL
) WITHOUT ROWID

-- name: repositories
CREATE TABLE IF NOT EXISTS repositories (
    id INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL COLLATE NOCASE,
    default_branch TEXT NOT NULL,
    private INTEGER NOT NULL,
    last_number INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    UNIQUE (owner, name)
)

-- name: grants
CREATE TABLE IF NOT EXISTS grants (
    repository INTEGER NOT NULL REFERENCES repositories (id),
    account INTEGER NOT NULL REFERENCES accounts (id),
    role TEXT NOT NULL CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin')),
    PRIMARY KEY (repository, account)
) WITHOUT ROWID

-- name: teams
CREATE TABLE IF NOT EXISTS teams (
    id INTEGER PRIMARY KEY,
    organization INTEGER NOT NULL REFERENCES accounts (id),
    slug TEXT NOT NULL COLLATE NOCASE,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (organization, slug)
)

-- name: team_members
CREATE TABLE IF NOT EXISTS team_members (
    team INTEGER NOT NULL REFERENCES teams (id),
    account INTEGER NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (team, account)
) WITHOUT ROWID

-- name: labels
CREATE TABLE IF NOT EXISTS labels (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    name TEXT NOT NULL COLLATE NOCASE,
    color TEXT NOT NULL,
    description TEXT,
    UNIQUE (repository, name)
)

-- name: threads
CREATE TABLE IF NOT EXISTS threads (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT,
    author INTEGER NOT NULL REFERENCES accounts (id),
    state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
    state_reason TEXT,
    locked INTEGER NOT NULL DEFAULT 0,
    pull INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    closed_at INTEGER,
    closed_by INTEGER REFERENCES accounts (id),
    UNIQUE (repository, number)
)

-- name: thread_labels
CREATE TABLE IF NOT EXISTS thread_labels (
    place INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (id),
    label INTEGER NOT NULL REFERENCES labels (id),
    UNIQUE (thread, label)
)

-- name: thread_assignees
CREATE TABLE IF NOT EXISTS thread_assignees (
    place INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (id),
    account INTEGER NOT NULL REFERENCES accounts (id),
    UNIQUE (thread, account)
)

-- name: pulls
CREATE TABLE IF NOT EXISTS pulls (
    thread INTEGER PRIMARY KEY REFERENCES threads (id),
    id INTEGER NOT NULL UNIQUE,
    head_ref TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    base_ref TEXT NOT NULL,
    base_sha TEXT NOT NULL,
    draft INTEGER NOT NULL,
    commits INTEGER NOT NULL,
    additions INTEGER NOT NULL,
    deletions INTEGER NOT NULL,
    changed_files INTEGER NOT NULL,
    mergeable INTEGER NOT NULL,
    merged_at INTEGER,
    merged_by INTEGER REFERENCES accounts (id),
    merge_sha TEXT
)

-- name: comments
CREATE TABLE IF NOT EXISTS comments (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    thread INTEGER NOT NULL REFERENCES threads (id),
    author INTEGER NOT NULL REFERENCES accounts (id),
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
)

-- name: comments_by_thread
CREATE INDEX IF NOT EXISTS comments_by_thread ON comments (thread, id)

-- name: comments_by_change
CREATE INDEX IF NOT EXISTS comments_by_change ON comments (repository, updated_at)

-- name: reactions
CREATE TABLE IF NOT EXISTS reactions (
    id INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL,
    account INTEGER NOT NULL REFERENCES accounts (id),
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (subject, account, content)
)

-- name: history
CREATE TABLE IF NOT EXISTS history (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    thread INTEGER NOT NULL REFERENCES threads (id),
    actor INTEGER NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    commit_id TEXT,
    created_at INTEGER NOT NULL
)

-- name: history_by_thread
CREATE INDEX IF NOT EXISTS history_by_thread ON history (thread, id)

-- name: history_by_repository
CREATE INDEX IF NOT EXISTS history_by_repository ON history (repository, id)

-- name: reviews
CREATE TABLE IF NOT EXISTS reviews (
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (id),
    author INTEGER NOT NULL REFERENCES accounts (id),
    state TEXT NOT NULL CHECK (state IN ('APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED')),
    body TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    submitted_at INTEGER NOT NULL
)

-- name: reviews_by_thread
CREATE INDEX IF NOT EXISTS reviews_by_thread ON reviews (thread, id)

-- name: lines
CREATE TABLE IF NOT EXISTS lines (
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (id),
    review INTEGER NOT NULL REFERENCES reviews (id),
    author INTEGER NOT NULL REFERENCES accounts (id),
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    body TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
)

-- name: lines_by_review
CREATE INDEX IF NOT EXISTS lines_by_review ON lines (review, id)

-- name: hooks
CREATE TABLE IF NOT EXISTS hooks (
    id INTEGER PRIMARY KEY,
    repository INTEGER REFERENCES repositories (id),
    app INTEGER UNIQUE REFERENCES apps (id),
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    events TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((repository IS NULL) <> (app IS NULL))
)

-- name: hooks_by_repository
CREATE INDEX IF NOT EXISTS hooks_by_repository ON hooks (repository)

-- name: deliveries
CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY,
    hook INTEGER NOT NULL REFERENCES hooks (id),
    guid TEXT NOT NULL,
    event TEXT NOT NULL,
    action TEXT,
    payload TEXT NOT NULL,
    redelivery INTEGER NOT NULL,
    repository INTEGER,
    installation INTEGER,
    queued_at INTEGER NOT NULL,
    delivered_at INTEGER,
    duration INTEGER,
    status_code INTEGER,
    status TEXT,
    response TEXT
)

-- name: deliveries_queued
CREATE INDEX IF NOT EXISTS deliveries_queued ON deliveries (id) WHERE delivered_at IS NULL

-- name: deliveries_by_hook
CREATE INDEX IF NOT EXISTS deliveries_by_hook ON deliveries (hook, id)

-- name: apps
CREATE TABLE IF NOT EXISTS apps (
    id INTEGER PRIMARY KEY,
    owner INTEGER NOT NULL REFERENCES accounts (id),
    bot INTEGER NOT NULL REFERENCES accounts (id),
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    description TEXT,
    external_url TEXT NOT NULL,
    setup_url TEXT,
    client_id TEXT NOT NULL UNIQUE,
    public_key TEXT,
    permissions TEXT NOT NULL,
    events TEXT NOT NULL,
    code TEXT UNIQUE,
    code_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
)

-- name: installations
CREATE TABLE IF NOT EXISTS installations (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL REFERENCES apps (id),
    account INTEGER NOT NULL REFERENCES accounts (id),
    selection TEXT NOT NULL CHECK (selection IN ('all', 'selected')),
    permissions TEXT NOT NULL,
    events TEXT NOT NULL,
    suspended_at INTEGER,
    suspended_by INTEGER REFERENCES accounts (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (app, account)
)

-- name: installation_repositories
CREATE TABLE IF NOT EXISTS installation_repositories (
    installation INTEGER NOT NULL REFERENCES installations (id) ON DELETE CASCADE,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    PRIMARY KEY (installation, repository)
) WITHOUT ROWID

-- name: installation_tokens
CREATE TABLE IF NOT EXISTS installation_tokens (
    digest TEXT PRIMARY KEY,
    installation INTEGER NOT NULL REFERENCES installations (id) ON DELETE CASCADE,
    permissions TEXT NOT NULL,
    repositories TEXT,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID

-- name: former_names
CREATE TABLE IF NOT EXISTS former_names (
    owner INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL COLLATE NOCASE,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    PRIMARY KEY (owner, name)
) WITHOUT ROWID

-- name: statuses
CREATE TABLE IF NOT EXISTS statuses (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    sha TEXT NOT NULL,
    context TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('error', 'failure', 'pending', 'success')),
    description TEXT,
    target_url TEXT,
    creator INTEGER NOT NULL REFERENCES accounts (id),
    created_at INTEGER NOT NULL
)

-- name: statuses_by_context
CREATE INDEX IF NOT EXISTS statuses_by_context ON statuses (repository, sha, context, id)

-- name: check_suites
CREATE TABLE IF NOT EXISTS check_suites (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repositories (id),
    app INTEGER NOT NULL REFERENCES apps (id),
    sha TEXT NOT NULL,
    branch TEXT,
    head_commit TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (repository, sha, app)
)

-- name: check_runs
CREATE TABLE IF NOT EXISTS check_runs (
    id INTEGER PRIMARY KEY,
    suite INTEGER NOT NULL REFERENCES check_suites (id),
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed')),
    conclusion TEXT,
    external_id TEXT NOT NULL,
    details_url TEXT,
    title TEXT,
    summary TEXT,
    text TEXT,
    started_at INTEGER NOT NULL,
    completed_at INTEGER,
    CHECK ((status = 'completed') = (conclusion IS NOT NULL))
)

-- name: check_runs_by_suite
CREATE INDEX IF NOT EXISTS check_runs_by_suite ON check_runs (suite, name, id)

-- name: status_rows
CREATE TEMPORARY VIEW status_rows AS
SELECT
    s.*, a.login AS creator_login, a.kind AS creator_kind, a.name AS creator_name, a.created_at AS creator_created_at
FROM statuses s JOIN accounts a ON a.id = s.creator

-- name: check_latest
CREATE TEMPORARY VIEW check_latest AS
SELECT * FROM check_runs r
WHERE NOT EXISTS (SELECT 1 FROM check_runs l WHERE l.suite = r.suite AND l.name = r.name AND l.id > r.id)

-- name: check_suite_rows
CREATE TEMPORARY VIEW check_suite_rows AS
SELECT
    s.*,
    (SELECT count(*) FROM check_latest r WHERE r.suite = s.id) AS runs,
    (SELECT count(*) FROM check_latest r WHERE r.suite = s.id AND r.conclusion IS NULL) AS open_runs,
    (SELECT count(*) FROM check_latest r WHERE r.suite = s.id AND r.status <> 'queued') AS begun,
    (SELECT group_concat(r.conclusion) FROM check_latest r WHERE r.suite = s.id) AS conclusions
FROM check_suites s

-- name: check_run_rows
CREATE TEMPORARY VIEW check_run_rows AS
SELECT
    r.*, s.id AS suite_id, s.repository AS suite_repository, s.app AS suite_app, s.sha AS suite_sha,
    s.branch AS suite_branch, s.head_commit AS suite_head_commit, s.runs AS suite_runs, s.open_runs AS suite_open_runs, s.begun AS suite_begun,
    s.conclusions AS suite_conclusions, s.created_at AS suite_created_at, s.updated_at AS suite_updated_at,
    r.id IN (SELECT id FROM check_latest) AS latest
FROM check_runs r JOIN check_suite_rows s ON s.id = r.suite

-- name: covered
CREATE TEMPORARY VIEW covered AS
SELECT i.id AS installation, r.id AS repository
FROM installations i JOIN repositories r ON r.owner = i.account
WHERE i.selection = 'all'
   OR EXISTS (SELECT 1 FROM installation_repositories x WHERE x.installation = i.id AND x.repository = r.id)

-- name: app_rows
CREATE TEMPORARY VIEW app_rows AS
SELECT
    p.*, o.login AS owner_login, o.kind AS owner_kind, o.name AS owner_name, o.created_at AS owner_created_at,
    b.login AS bot_login, b.kind AS bot_kind, b.name AS bot_name, b.created_at AS bot_created_at,
    (SELECT count(*) FROM installations i WHERE i.app = p.id) AS installations
FROM apps p JOIN accounts o ON o.id = p.owner JOIN accounts b ON b.id = p.bot

-- name: installation_rows
CREATE TEMPORARY VIEW installation_rows AS
SELECT
    i.*, a.login AS account_login, a.kind AS account_kind, a.name AS account_name,
    a.created_at AS account_created_at, p.slug AS slug, p.client_id AS client_id,
    s.login AS suspender_login, s.kind AS suspender_kind, s.name AS suspender_name,
    s.created_at AS suspender_created_at
FROM installations i
JOIN accounts a ON a.id = i.account
JOIN apps p ON p.id = i.app
LEFT JOIN accounts s ON s.id = i.suspended_by

-- name: repository_rows
CREATE TEMPORARY VIEW repository_rows AS
SELECT
    r.*, o.login AS owner_login, o.kind AS owner_kind, o.name AS owner_name, o.created_at AS owner_created_at,
    (SELECT count(*) FROM threads t WHERE t.repository = r.id AND t.state = 'open') AS open_threads
FROM repositories r JOIN accounts o ON o.id = r.owner

-- name: standing
CREATE TEMPORARY VIEW standing AS
SELECT r.id AS repository, a.id AS account,
    CASE WHEN a.id = r.owner THEN 'OWNER'
         WHEN EXISTS (SELECT 1 FROM grants g WHERE g.repository = r.id AND g.account = a.id) THEN 'COLLABORATOR'
         ELSE 'NONE' END AS association
FROM repositories r CROSS JOIN accounts a

-- name: thread_rows
CREATE TEMPORARY VIEW thread_rows AS
SELECT
    t.*, a.login AS author_login, a.kind AS author_kind, a.name AS author_name, a.created_at AS author_created_at,
    c.login AS closer_login, c.kind AS closer_kind, c.name AS closer_name, c.created_at AS closer_created_at,
    (SELECT association FROM standing s WHERE s.repository = t.repository AND s.account = t.author) AS association,
    (SELECT count(*) FROM comments m WHERE m.thread = t.id) AS comment_count,
    (SELECT json_group_object(content, n) FROM (
        SELECT content, count(*) AS n FROM reactions WHERE subject = t.id GROUP BY content)) AS reactions,
    (SELECT json_group_array(json_object(
        'id', x.id, 'repository', x.repository, 'name', x.name, 'color', x.color, 'description', x.description))
     FROM (SELECT l.* FROM thread_labels tl JOIN labels l ON l.id = tl.label
           WHERE tl.thread = t.id ORDER BY tl.place) x) AS labels,
    (SELECT json_group_array(json_object(
        'id', x.id, 'login', x.login, 'kind', x.kind, 'name', x.name, 'created_at', x.created_at))
     FROM (SELECT o.* FROM thread_assignees ta JOIN accounts o ON o.id = ta.account
           WHERE ta.thread = t.id ORDER BY ta.place) x) AS assignees,
    p.merged_at AS merged_at, p.draft AS draft
FROM threads t
JOIN accounts a ON a.id = t.author
LEFT JOIN accounts c ON c.id = t.closed_by
LEFT JOIN pulls p ON p.thread = t.id

-- name: comment_rows
CREATE TEMPORARY VIEW comment_rows AS
SELECT
    m.*, a.login AS author_login, a.kind AS author_kind, a.name AS author_name, a.created_at AS author_created_at,
    t.number AS number, t.pull AS pull,
    (SELECT association FROM standing s WHERE s.repository = m.repository AND s.account = m.author) AS association,
    (SELECT json_group_object(content, n) FROM (
        SELECT content, count(*) AS n FROM reactions WHERE subject = m.id GROUP BY content)) AS reactions
FROM comments m JOIN accounts a ON a.id = m.author JOIN threads t ON t.id = m.thread

-- name: history_rows
CREATE TEMPORARY VIEW history_rows AS
SELECT
    h.*, a.login AS actor_login, a.kind AS actor_kind, a.name AS actor_name, a.created_at AS actor_created_at,
    t.number AS number
FROM history h JOIN accounts a ON a.id = h.actor JOIN threads t ON t.id = h.thread

-- name: review_rows
CREATE TEMPORARY VIEW review_rows AS
SELECT
    v.*, a.login AS author_login, a.kind AS author_kind, a.name AS author_name, a.created_at AS author_created_at,
    (SELECT association FROM standing s
     WHERE s.repository = t.repository AND s.account = v.author) AS association
FROM reviews v JOIN accounts a ON a.id = v.author JOIN threads t ON t.id = v.thread

-- name: line_rows
CREATE TEMPORARY VIEW line_rows AS
SELECT
    l.*, a.login AS author_login, a.kind AS author_kind, a.name AS author_name, a.created_at AS author_created_at,
    (SELECT association FROM standing s
     WHERE s.repository = t.repository AND s.account = l.author) AS association
FROM lines l JOIN accounts a ON a.id = l.author JOIN threads t ON t.id = l.thread

-- name: reaction_rows
CREATE TEMPORARY VIEW reaction_rows AS
SELECT
    n.*, a.login AS account_login, a.kind AS account_kind, a.name AS account_name,
    a.created_at AS account_created_at
FROM reactions n JOIN accounts a ON a.id = n.account

-- name: pull_rows
CREATE TEMPORARY VIEW pull_rows AS
SELECT
    p.*, t.repository AS repository, t.number AS number, t.state AS state, t.updated_at AS updated_at,
    b.login AS merger_login, b.kind AS merger_kind, b.name AS merger_name, b.created_at AS merger_created_at
FROM pulls p JOIN threads t ON t.id = p.thread LEFT JOIN accounts b ON b.id = p.merged_by
