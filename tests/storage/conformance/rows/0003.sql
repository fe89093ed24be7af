-- The tables that the third migration adds.

-- name: rows_0003_01_shown_check
INSERT INTO shown_checks (item, name, head, external, digest, ended)
VALUES ('item:1/1', 'trackside/turn', 'abc', 7, 'digest', 0)
