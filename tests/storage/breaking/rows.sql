-- name: break_execution
UPDATE executions SET binding = '{"version": 99}' WHERE id = :id

-- name: break_work
UPDATE works SET state = 'dreaming' WHERE id = :id

-- name: break_timer
UPDATE timers SET kind = 'dream' WHERE id = :id

-- name: break_event
UPDATE events SET data = 'no json' WHERE id = :id

-- name: break_control
UPDATE controls SET kind = 'dream' WHERE id = :id

-- name: break_hold
UPDATE holds SET details = 'no json' WHERE id = :id
