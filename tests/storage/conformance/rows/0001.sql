-- A row for every table, as the schema of this number has it. A migration that adds a table or a column adds a
-- file of its own number here, and never changes an older one.

-- name: rows_0001_01_owner
INSERT INTO scopes (id, parent, kind, name) VALUES ('owner:1', 'root', 'owner', 'owner-1')

-- name: rows_0001_02_repository
INSERT INTO scopes (id, parent, kind, name) VALUES ('repository:1', 'owner:1', 'repository', 'owner-1/repo-1')

-- name: rows_0001_03_item
INSERT INTO items (key, scope, number, cursor) VALUES ('item:1/1', 'repository:1', 1, 5)

-- name: rows_0001_04_counter
UPDATE counters SET value = 1 WHERE name = 'event'

-- name: rows_0001_05_event
INSERT INTO events (seq, id, source, type, natural_key, scope, keys, data, cause, accepted_at, routing, tries, next_at, note)
VALUES (1, 'evt-1', 'tracker', 'tracker.comment', 'label', 'repository:1', '["item:1/1"]', '{}', NULL, 1, 'routed', 0, 1, '')

-- name: rows_0001_06_event_key
INSERT INTO event_keys (key, seq) VALUES ('item:1/1', 1)

-- name: rows_0001_07_delivery
INSERT INTO deliveries (guid, event, action, received_at, seen, note, payload) VALUES ('guid-1', 'issues', 'labeled', 1, 1, '', '')

-- name: rows_0001_08_delivery_event
INSERT INTO delivery_events (guid, natural_key) VALUES ('guid-1', 'label')

-- name: rows_0001_09_work
INSERT INTO works (
    id, scope, kind, playbook, item, number, run, state, status, comment, waits, starter, instructions, branch,
    pull_request, attempts, failures, gate_pass, blocked, reason, ended_by, usage, failed_seq,
    created_at, updated_at, ended_at, version
) VALUES (
    'wrk-1', 'repository:1', 'work-issue', 'work-issue', 'item:1/1', 1, 1, 'running', 'building', '', '[]',
    '{"id":7,"login":"ada"}', '{"author":"ada","body":"b","revision":"r","title":"t"}', 'trackside/1',
    NULL, 1, 0, NULL, NULL, '', NULL, '{"usd":0.5}', 0,
    1, 1, NULL, 3
)

-- name: rows_0001_10_work_key
INSERT INTO work_keys (key, work) VALUES ('item:1/1', 'wrk-1')

-- name: rows_0001_11_execution
INSERT INTO executions (
    id, work, scope, number, epoch, owner, lease_until, phase, slot, pool, trigger, binding, segments, deadline,
    started_at, ended_at, recovery, declared, result, outcome, status, summary, token, publish_tries, next_at
) VALUES (
    'exe-1', 'wrk-1', 'repository:1', 1, 1, 'host-a', 60001, 'running', 1, 'agents', 'evt-1',
    '{"config":{},"executor":"agent","generation":"g","playbook":{},"pool":"agents","retry":[300000],"timeout":3600000,"version":1}',
    '{"dropped":0,"dropped_time":0,"kept":[{"ended_at":null,"invoke":"called","isolated":false,"recovered":false,"relaunched":false,"started_at":1}],"version":1}',
    3600001, 1, NULL, '{"pid":1}', '{"comment":"","status":"review","used":{}}', NULL, NULL, NULL, '', 'digest', 0, 0
)

-- name: rows_0001_12_input
INSERT INTO inputs (work, seq, kind, author, body, execution) VALUES ('wrk-1', 1, 'label', 'ada', '', 'exe-1')

-- name: rows_0001_13_consumed
INSERT INTO consumed (execution, seq) VALUES ('exe-1', 1)

-- name: rows_0001_14_hold
INSERT INTO holds (id, work, kind, holder, reason, revision, details, state, placed_at, settled_at, settled_by, settled_reason)
VALUES ('hld-1', 'wrk-1', 'operator', 'ada', 'wait', '', '{}', 'open', 1, NULL, NULL, '')

-- name: rows_0001_15_decision
INSERT INTO decisions (source, hold, person, login, verb, reason, revision, permission, decided_at)
VALUES ('comment:1', 'hld-1', 7, 'grace', 'approve', '', '', 3, 1)

-- name: rows_0001_16_timer
INSERT INTO timers (id, work, kind, due_at, generation, cause) VALUES ('tmr-1', 'wrk-1', 'retry', 9, 1, 'evt-1')

-- name: rows_0001_17_thread
INSERT INTO threads (item, wanted, shown, tries, next_at, parked) VALUES ('item:1/1', 2, 1, 0, 0, NULL)

-- name: rows_0001_18_thread_comment
INSERT INTO thread_comments (item, key, comment, digest) VALUES ('item:1/1', 'sticky', 11, 'd')

-- name: rows_0001_19_note
INSERT INTO notes (item, kind, source, target, body, state, tries, next_at, error)
VALUES ('item:1/1', 'reply', 'comment:1', NULL, 'hi', 'pending', 0, 0, '')

-- name: rows_0001_20_cursor
INSERT INTO cursors (name, value) VALUES ('sweep', 'a')
