-- Jobs' long texts stand apart, so that lists of jobs and sums over them read little.
CREATE TABLE jobs (
    key INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
    owner TEXT NOT NULL,            -- the Neovim that ran it, see `owner`
    id INTEGER NOT NULL,            -- its number in that Neovim; negative: it has none
    agent TEXT NOT NULL,
    protocol TEXT,
    model TEXT,
    session_id TEXT,
    project TEXT NOT NULL,
    path TEXT NOT NULL,
    filetype TEXT NOT NULL,
    kind TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    question INTEGER NOT NULL,
    review INTEGER NOT NULL DEFAULT 0, -- the answer is held, never landed by itself
    resumed TEXT,                   -- JSON: the session that the job went on from, and after which message
    started_ms INTEGER NOT NULL,    -- Unix time
    ended_ms INTEGER NOT NULL,
    error_code TEXT,
    error_message TEXT,
    has_answer INTEGER NOT NULL,
    landing TEXT,                   -- NULL until the editor has decided
    held_for TEXT,
    landed_first INTEGER,           -- where the answer stood when it had landed
    landed_last INTEGER,
    cost_usd REAL,                  -- this and the other amounts: of this job alone
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    num_turns INTEGER,
    duration_ms INTEGER NOT NULL,
    transcript TEXT,                -- its file's name
    is_landed INTEGER NOT NULL AS (coalesce(landing IN ('applied', 'merged', 'unchanged'), 0)),
    is_held INTEGER NOT NULL AS (coalesce(landing = 'held', 0)),
    is_failed INTEGER NOT NULL AS (error_code IS NOT NULL),
    UNIQUE (owner, id)
) STRICT;
CREATE INDEX jobs_undecided ON jobs (landing)
    WHERE has_answer AND NOT question AND (landing IS NULL OR landing = 'held');
CREATE INDEX jobs_ended ON jobs (ended_ms, uuid);
CREATE INDEX jobs_path ON jobs (path, ended_ms, uuid);
CREATE INDEX jobs_project ON jobs (project, ended_ms, uuid);
CREATE INDEX jobs_session ON jobs (agent, session_id) WHERE session_id IS NOT NULL;

-- Sums over all jobs, so that no query has to read them all.
CREATE TABLE totals (
    project TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,            -- empty: not known
    jobs INTEGER NOT NULL,
    landed INTEGER NOT NULL,
    held INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    priced INTEGER NOT NULL,        -- those of which the cost is known
    cost_usd REAL NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    num_turns INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (project, agent, model)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER jobs_counted AFTER INSERT ON jobs BEGIN
    INSERT INTO totals VALUES (new.project, new.agent, coalesce(new.model, ''), 1, new.is_landed, new.is_held,
            new.is_failed, new.cost_usd IS NOT NULL, coalesce(new.cost_usd, 0), new.input_tokens, new.output_tokens,
            new.cache_read_tokens, new.cache_creation_tokens, coalesce(new.num_turns, 0), new.duration_ms)
        ON CONFLICT DO UPDATE SET jobs = jobs + 1, landed = landed + excluded.landed, held = held + excluded.held,
            failed = failed + excluded.failed, priced = priced + excluded.priced,
            cost_usd = cost_usd + excluded.cost_usd, input_tokens = input_tokens + excluded.input_tokens,
            output_tokens = output_tokens + excluded.output_tokens,
            cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
            cache_creation_tokens = cache_creation_tokens + excluded.cache_creation_tokens,
            num_turns = num_turns + excluded.num_turns, duration_ms = duration_ms + excluded.duration_ms;
END;
CREATE TRIGGER jobs_recounted
AFTER UPDATE OF landing, cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, num_turns,
    duration_ms ON jobs BEGIN
    UPDATE totals SET landed = landed + new.is_landed - old.is_landed, held = held + new.is_held - old.is_held,
            priced = priced + (new.cost_usd IS NOT NULL) - (old.cost_usd IS NOT NULL),
            cost_usd = cost_usd + coalesce(new.cost_usd, 0) - coalesce(old.cost_usd, 0),
            input_tokens = input_tokens + new.input_tokens - old.input_tokens,
            output_tokens = output_tokens + new.output_tokens - old.output_tokens,
            cache_read_tokens = cache_read_tokens + new.cache_read_tokens - old.cache_read_tokens,
            cache_creation_tokens = cache_creation_tokens + new.cache_creation_tokens - old.cache_creation_tokens,
            num_turns = num_turns + coalesce(new.num_turns, 0) - coalesce(old.num_turns, 0),
            duration_ms = duration_ms + new.duration_ms - old.duration_ms
        WHERE project = new.project AND agent = new.agent AND model = coalesce(new.model, '');
END;

CREATE TABLE texts (
    job INTEGER PRIMARY KEY REFERENCES jobs (key),
    selection TEXT NOT NULL,        -- JSON: kind, first_line, last_line, text, rows, cols, beside
    text TEXT,                      -- the answer as the agent gave it
    lines TEXT,                     -- JSON: the tidied answer
    landed_rows TEXT,               -- JSON: the rows of its range when it had landed
    draft TEXT,                     -- JSON: what the user made of a held answer in the review, until that is decided
    taken_base TEXT                 -- JSON: what was selected, with the taken edits in it: the base of the next merge
) STRICT;

CREATE TABLE sessions (
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    family TEXT NOT NULL,           -- the session from which it came, over all forks
    parent TEXT,                    -- the session it was forked from
    parent_at TEXT,                 -- the last message that it shares with that; NULL: all of them
    model TEXT,
    project TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (agent, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_family ON sessions (agent, family);

-- What an agent's own counters stand at: a fork begins with what its parent had counted.
CREATE TABLE session_metadata (
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    cost_usd REAL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    num_turns INTEGER,
    duration_ms INTEGER,
    PRIMARY KEY (agent, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
    key INTEGER PRIMARY KEY,        -- their order
    agent TEXT NOT NULL,
    session_id TEXT NOT NULL,
    uuid TEXT NOT NULL,             -- the message's
    job INTEGER NOT NULL REFERENCES jobs (key),
    UNIQUE (agent, session_id, uuid)
) STRICT;

-- What was typed in a prompt and not sent yet: it outlives its Neovim.
CREATE TABLE unsent (
    owner TEXT NOT NULL,            -- the Neovim in which it was typed, see `owner`
    id INTEGER NOT NULL,            -- its number in that Neovim
    at_ms INTEGER NOT NULL,         -- Unix time of its last change
    text TEXT NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;

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
