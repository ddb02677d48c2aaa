-- One row a job; the texts that lists and sums do not read stand apart. What is never filtered, sorted or summed is JSON:
-- `entry` has fields of `JobEntry`, `record` those of `journal::Record`.
CREATE TABLE jobs (
    uuid TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,          -- the Neovim whose job it is
    id INTEGER NOT NULL,            -- its number there
    agent TEXT NOT NULL,
    model TEXT,
    session_id TEXT,                -- the agent's session
    family TEXT,                    -- the session from which that one came, over all forks
    project TEXT NOT NULL,
    path TEXT NOT NULL,
    prompt TEXT NOT NULL,
    started_ms INTEGER NOT NULL,    -- Unix time
    ended_ms INTEGER,               -- NULL: it has not ended
    error_code TEXT,
    has_answer INTEGER NOT NULL DEFAULT 0,
    landing TEXT,                   -- NULL until the editor has decided
    cost_usd REAL,                  -- this and the other amounts: of this job alone
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cache_creation_tokens INTEGER NOT NULL DEFAULT 0,
    num_turns INTEGER,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    entry TEXT NOT NULL
) STRICT;
-- Both hold all that a search, or a sum, reads.
CREATE INDEX jobs_ended ON jobs (ended_ms, uuid, prompt, path) WHERE ended_ms IS NOT NULL;
CREATE INDEX jobs_sums ON jobs (project, agent, model, ended_ms, landing, error_code, cost_usd, input_tokens,
    output_tokens, cache_read_tokens, cache_creation_tokens, num_turns, duration_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX jobs_family ON jobs (agent, family) WHERE family IS NOT NULL;
CREATE INDEX jobs_open ON jobs (session) WHERE ended_ms IS NULL;
CREATE INDEX jobs_path ON jobs (path, ended_ms, uuid);
CREATE INDEX jobs_project ON jobs (project, ended_ms, uuid);
CREATE INDEX jobs_session ON jobs (agent, session_id, ended_ms) WHERE session_id IS NOT NULL;
CREATE INDEX jobs_number ON jobs (session, id);

CREATE TABLE texts (
    uuid TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    counted TEXT NOT NULL,          -- JSON: what the agent's session had counted when the job ended
    landed_rows TEXT                -- JSON: the rows of its range when it had landed, or when its file was written
) STRICT;

-- What was typed in a prompt and not sent yet: it outlives its Neovim.
CREATE TABLE unsent (
    session TEXT NOT NULL,          -- the Neovim in which it was typed
    id INTEGER NOT NULL,            -- its number there
    at_ms INTEGER NOT NULL,         -- Unix time of its last change
    text TEXT NOT NULL,
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
