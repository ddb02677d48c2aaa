--- Jobs of a Neovim that is gone, as its host has left them: in a spill file, which the plugin's host takes up when it
--- opens the store. For many jobs, or for what no agent says, as figures of months; `support.earlier` runs real ones.

local M = {}

--- The owner of the jobs: a process that does not run, with a start that no process has.
local OWNER = "1:0"

---@class SpilledJob
---@field uuid string
---@field prompt string?
---@field agent string?
---@field model string?
---@field session_id string?
---@field project string?
---@field path string?
---@field filetype string?
---@field kind string?
---@field first_line integer?
---@field rows string[]? what it was about
---@field text string[]? what was selected, where that is not all of the rows
---@field cols integer[]?
---@field lines string[]|false|nil the answer; `false` where it has none
---@field error [string, string]? code and message
---@field landing string|false|nil what became of the answer
---@field held_for string?
---@field landed_rows string[]? what stood there then
---@field ended_ms integer?
---@field started_ms integer?
---@field cost_usd number|false|nil
---@field input_tokens integer?
---@field output_tokens integer?
---@field cache_read_tokens integer?
---@field cache_creation_tokens integer?
---@field duration_ms integer?
---@field checkpoints string[]?
---@field transcript string? the name of its file
---@field resumed { session_id: string, at: string? }?
---@field interrupted boolean? it had not ended when its host was gone

---@param job SpilledJob
---@return table
local function selection_of(job)
  local rows = job.rows or { "x" }
  local first = job.first_line or 1
  local is_insert = job.kind == "insert"
  return {
    kind = job.kind or "line",
    first_line = first,
    last_line = first + math.max(#rows, 1) - 1,
    text = is_insert and {} or job.text or rows,
    rows = is_insert and {} or rows,
    cols = job.cols or vim.tbl_map(function()
      return 0
    end, is_insert and {} or rows),
    beside = vim.empty_dict(),
  }
end

---@param id integer
---@param job SpilledJob
---@return table known as the host spills it
local function known_of(id, job)
  local ended = job.ended_ms or os.time() * 1000
  local about = {
    id = id,
    agent = job.agent or "claude",
    protocol = "claude",
    model = job.model or "opus",
    resumed = job.resumed,
    project = job.project or "/",
    path = job.path or "/somewhere/a.rs",
    filetype = job.filetype or "",
    prompt = job.prompt or "it",
    question = job.question or false,
    review = job.review or false,
    selection = selection_of(job),
    started_ms = job.started_ms or ended - 1000,
  }
  if job.interrupted then
    return { id = id, uuid = job.uuid, accepted = about }
  end
  local amounts = {
    cost_usd = job.cost_usd or nil,
    input_tokens = job.input_tokens or 0,
    output_tokens = job.output_tokens or 0,
    cache_read_tokens = job.cache_read_tokens or 0,
    cache_creation_tokens = job.cache_creation_tokens or 0,
    duration_ms = job.duration_ms,
  }
  local lines = job.lines ~= false and (job.lines or { "X" }) or nil
  local record = vim.tbl_extend("error", about, {
    session_id = job.session_id,
    ended_ms = ended,
    error = job.error,
    text = lines and table.concat(lines, "\n"),
    lines = lines,
    held_for = job.held_for,
    amounts = amounts,
    counted = { cost = "Run", usage = "Run", num_turns = "Run" },
    checkpoints = job.checkpoints or {},
    transcript = job.transcript,
  })
  local landed = job.landing
    and {
      landing = job.landing,
      held_for = job.held_for,
      place = { about.selection.first_line, about.selection.last_line },
      rows = job.landing ~= "held" and (job.landed_rows or lines) or nil,
    }
  return { id = id, uuid = job.uuid, record = record, job_usage = amounts, landed = landed or nil }
end

--- Writes the spill file. The plugin has no host yet.
---@param jobs SpilledJob[]
function M.write(jobs)
  local data_dir = require("botglue.host.client").options().data_dir
  local lines = { vim.json.encode({ version = 1, owner = OWNER, host = OWNER }) }
  for id, job in ipairs(jobs) do
    lines[#lines + 1] = vim.json.encode({ job = known_of(id, job) })
  end
  vim.fn.mkdir(data_dir, "p")
  assert(vim.fn.writefile(lines, data_dir .. "/botglue.spill-000000000000001-1.jsonl") == 0)
end

return M
