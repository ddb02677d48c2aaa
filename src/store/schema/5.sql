-- Jobs are kept from the moment at which a host accepts them, with all that the same request needs once more.
ALTER TABLE jobs ADD COLUMN review INTEGER NOT NULL DEFAULT 0; -- the answer is held, never landed by itself
ALTER TABLE jobs ADD COLUMN resumed TEXT; -- JSON: the session that the job went on from, and after which message
-- Those that have not ended: they are in no list and no sum. Once the host is gone, they become jobs that failed.
CREATE TABLE accepted (
    key INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,            -- this and the other columns: as in jobs
    id INTEGER NOT NULL,
    host TEXT NOT NULL,             -- the process that runs it, named like an owner
    agent TEXT NOT NULL,
    protocol TEXT NOT NULL,
    model TEXT,
    project TEXT NOT NULL,
    path TEXT NOT NULL,
    filetype TEXT NOT NULL,
    kind TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    question INTEGER NOT NULL,
    review INTEGER NOT NULL,
    resumed TEXT,
    started_ms INTEGER NOT NULL,
    selection TEXT NOT NULL,
    UNIQUE (owner, id)
) STRICT;
