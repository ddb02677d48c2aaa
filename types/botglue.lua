---@meta
-- The shapes that users and the host see. Nothing requires this file; language servers read it.

---@class botglue.Agent
---@field protocol "claude"|"droid"|"acp"|"text"
---@field command string[] the program and its first arguments
---@field args string[]? arguments after the protocol's own
---@field env table<string, string>? added to the environment
---@field model string|false|nil
---@field models string[]|false|nil
---@field mode string? of the protocol `acp` alone, as the next two: the session's mode
---@field meta table? laid deeply over the `_meta` of its sessions
---@field directory "project"|"empty"|nil where it runs

---@class botglue.Options
---@field agent string which of `agents` runs a job
---@field agents table<string, botglue.Agent>
---@field model string|false the `claude` agent's model; false leaves the choice to the CLI
---@field models string[]|false those to choose from in the prompt
---@field tools string[] what the agent may use
---@field timeout number seconds for one job, from its start
---@field max_turns integer|false
---@field max_cost_usd number|false a limit on one job's cost, where the agent can hold it
---@field max_parallel integer more jobs than these wait
---@field trust_project boolean let the CLI load the project's own settings
---@field default_keymaps boolean
---@field review boolean hold every answer for review
---@field context { lines: integer, bytes: integer, diagnostics: boolean, rules: boolean }
---@field status { preview: integer, outcome: number }
---@field prompts table<string, string|botglue.NamedPrompt>
---@field prewarm boolean
---@field record boolean keep each job's raw stream
---@field notify "all"|"failures"|"none"
---@field host string? path of the host's binary
---@field data_dir string

---@class botglue.RangeSpec
---@field kind "line"|"char"|"block"|"insert"
---@field first { [1]: integer, [2]: integer? } line from 1, byte column from 0
---@field last { [1]: integer, [2]: integer? }? included

---@class botglue.RunOptions
---@field prompt string? none: it is asked for
---@field bufnr integer?
---@field range botglue.RangeSpec?
---@field agent string?
---@field model string?
---@field review boolean? hold the answer for review

---@class botglue.Selection
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert"
---@field first_line integer from 1; for an insertion the line that it goes below, which may be 0
---@field last_line integer
---@field spans integer[][] for each row the first selected byte and the one after the last
---@field column integer? the screen column at which a block begins

---@class botglue.Tool
---@field id string
---@field name string
---@field title string? what it does, in words
---@field status "running"|"ok"|"error"|"denied"|"unfinished"
---@field error string?

---@class botglue.Update what a function gets that watches a job
---@field kind "state"|"text"|"thinking"|"tool"|"restart"|"retry"|"gap"|"finished"
---@field status string? of a state
---@field text string? the new part of a text or of thinking
---@field bytes integer? of a gap: the missing text, and the thinking if the observer asked for it
---@field tool botglue.Tool?
---@field attempt integer? of a retry
---@field max integer?
---@field delay_ms integer?
---@field reason string?
---@field job botglue.JobTable? of one that has finished

---@class botglue.JobFacts what a job and its table both have
---@field id integer
---@field status "queued"|"running"|"ready"|"done"|"failed"
---@field landing "applied"|"merged"|"unchanged"|"held"|"answered"|"rejected"|"reverted"|nil
---@field held_for string?
---@field held_why string? what is doubtful, where it is held for that
---@field path string
---@field prompt string
---@field agent string
---@field model string? this and the amounts are as the agent tells them
---@field session_id string?
---@field tool string? the tool that runs now, as one line
---@field text string? the answer as the agent gave it
---@field num_turns integer?
---@field cost_usd number?
---@field input_tokens integer?
---@field output_tokens integer?
---@field error { code: string, message: string }?

---@class botglue.JobTable: botglue.JobFacts
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert"
---@field first_line integer
---@field last_line integer
---@field tools botglue.Tool[]
---@field elapsed_ms integer

---@class botglue.StoredJob
---@field agent string
---@field model string?
---@field session_id string?
---@field project string
---@field prompt string
---@field selection botglue.StoredSelection
---@field text string?
---@field lines string[]?

---@class botglue.FullEntry: botglue.StoredJob what the store has of a job that has ended, as far as it is read
---@field path string
---@field question boolean
---@field review boolean whether its answer was to be held
---@field wanted string? the model that goes on with it
---@field cwd string? the directory in which it goes on
---@field answered_by string? the model that answered
---@field resumed { session_id: string, at: string? }? the session that it went on from
---@field error [string, string]? code and message
---@field place [integer, integer]? the first and the last line of its range when its file was last written
---@field landed_rows string[]? the rows of the range then

---@class botglue.HeldAnswer an answer of an earlier time that is held by this Neovim now
---@field id integer? of the lost job whose answer it is
---@field selection botglue.StoredSelection
---@field stands { first_line: integer, rows: string[] }? its rows as its file was written last
---@field set table<string, any> the fields of its job

---@class botglue.StoredSelection what was selected when the job was asked for
---@field kind "line"|"char"|"block"|"insert"
---@field first_line integer
---@field last_line integer
---@field text string[] the selected part of each row
---@field rows string[] the whole rows
---@field cols integer[] the byte at which each entry of `text` begins
---@field column integer? the screen column at which a block begins
---@field beside { above: string?, below: string? } the rows next to it

---@class botglue.Checkpoint a message of a session that can be gone back to
---@field uuid string the message's
---@field prompt string
---@field at_ms integer

---@class botglue.Recalled the answer to `prompts { limit?, project? }`
---@field prompts string[] what was typed within a day and not sent comes first
---@field logged_out string[] the agents whose newest job failed with `not_logged_in`
---@field agent string? that of the newest job of `project`
