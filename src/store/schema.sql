-- One row a job; the texts that lists and sums do not read stand apart. `record` is JSON with the fields of
-- `journal::Record`, `entry` the same but for its long texts, with what became of the job since: see `JobEntry`.
CREATE TABLE jobs (
    uuid TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,          -- the Neovim whose job it is
    id INTEGER NOT NULL,            -- its number there
    family TEXT,                    -- the agent's session from which that of the job came, over all forks
    entry TEXT NOT NULL,
    -- What is filtered, sorted or summed of the entry.
    words TEXT,                     -- prompt and path in small letters
    agent TEXT,
    model TEXT,
    session_id TEXT,
    project TEXT,
    path TEXT,
    started_ms INTEGER,
    ended_ms INTEGER,               -- NULL: it has not ended
    error_code TEXT,
    landing TEXT,
    cost_usd REAL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_creation_tokens INTEGER,
    num_turns INTEGER,
    duration_ms INTEGER
) STRICT;
CREATE TRIGGER jobs_entry AFTER UPDATE OF entry ON jobs BEGIN
    UPDATE jobs SET words = lower(entry ->> 'prompt' || char(10) || (entry ->> 'path')), agent = entry ->> 'agent',
        model = coalesce(entry ->> 'answered_by', entry ->> 'model'), session_id = entry ->> 'session_id',
        project = entry ->> 'project', path = entry ->> 'path', started_ms = entry ->> 'started_ms',
        ended_ms = entry ->> 'ended_ms', error_code = entry ->> '$.error[0]', landing = entry ->> 'landing',
        cost_usd = entry ->> '$.share.cost_usd', input_tokens = entry ->> '$.share.input_tokens',
        output_tokens = entry ->> '$.share.output_tokens',
        cache_read_tokens = entry ->> '$.share.cache_read_input_tokens',
        cache_creation_tokens = entry ->> '$.share.cache_creation_input_tokens',
        num_turns = entry ->> '$.share.num_turns',
        duration_ms = coalesce(entry ->> '$.share.duration_ms',
            max(0, (entry ->> 'ended_ms') - (entry ->> 'started_ms')))
    WHERE rowid = new.rowid;
END;
-- Both hold all that a search, or a sum, reads.
CREATE INDEX jobs_ended ON jobs (ended_ms, uuid, words) WHERE ended_ms IS NOT NULL;
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
