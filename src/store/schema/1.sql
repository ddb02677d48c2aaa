CREATE TABLE jobs (
    uuid TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
    owner TEXT NOT NULL,            -- the Neovim that ran it, see `owner`
    id INTEGER NOT NULL,            -- its number in that Neovim
    agent TEXT NOT NULL,
    model TEXT,
    session_id TEXT,
    project TEXT NOT NULL,
    path TEXT NOT NULL,
    filetype TEXT NOT NULL,
    prompt TEXT NOT NULL,
    selection TEXT NOT NULL,        -- JSON: kind, first_line, last_line, text, rows, cols, anchor
    started_ms INTEGER NOT NULL,    -- Unix time
    ended_ms INTEGER NOT NULL,
    error_code TEXT,
    error_message TEXT,
    text TEXT,                      -- the answer as the agent gave it
    lines TEXT,                     -- JSON: the tidied answer
    landing TEXT,                   -- NULL until the editor has decided
    held_for TEXT,
    cost_usd REAL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    num_turns INTEGER,
    UNIQUE (owner, id)
) STRICT;
CREATE INDEX jobs_undecided ON jobs (landing) WHERE text IS NOT NULL AND (landing IS NULL OR landing = 'held');
