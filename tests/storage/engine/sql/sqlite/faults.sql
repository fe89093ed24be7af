-- Ways to lose a transaction.

-- name: fault_rollback
ROLLBACK;

-- name: fault_small_disk
-- As many pages as the file has now: the next page that is needed is one too many.
PRAGMA max_page_count = 1;

-- name: fault_large_disk
PRAGMA max_page_count = 4294967294;

-- name: pragma_synchronous
PRAGMA synchronous;

-- name: pragma_foreign_keys
PRAGMA foreign_keys;

-- name: pragma_journal_mode
PRAGMA journal_mode;

-- name: pragma_busy_timeout
PRAGMA busy_timeout;

-- name: pragma_query_only
PRAGMA query_only;
