--- Jobs of a Neovim that is gone, as its host has left them: in a journal, which the plugin's host takes up before it
--- answers.

local M = {}

--- Its name; and the Neovim: none that runs.
local SESSION, NEOVIM = "gone", "1:0"

--- A job as a spec says it: fields of the record that the host writes, each with a default below, and
--- - `rows`: what it was about
--- - `lines`: the answer; `false` where it has none
--- - `landing`: what became of the answer; `false` where it has none
--- - `interrupted`: it had not ended when its host was gone
---@class JournalJob

---@param id integer
---@param job JournalJob
---@return table[] changes, each with its name
local function changes_of(id, job)
  local ended = job.ended_ms or os.time() * 1000 + id - 100000
  local first, rows = job.first_line or 1, job.rows or { "x" }
  local accepted = {
    id = id,
    agent = job.agent or "claude",
    protocol = "claude",
    model = job.model or "opus",
    resumed = job.resumed,
    project = job.project or "/",
    path = job.path or "/somewhere/a.rs",
    filetype = job.filetype or "",
    prompt = job.prompt or "it",
    question = false,
    review = job.review or false,
    selection = {
      kind = "line",
      first_line = first,
      last_line = first + #rows - 1,
      text = rows,
      rows = rows,
      cols = vim.fn["repeat"]({ 0 }, #rows),
      beside = vim.empty_dict(),
    },
    started_ms = job.started_ms or ended - 1000,
  }
  if job.interrupted then
    return { { "accepted", accepted } }
  end
  local amounts = {
    cost_usd = job.cost_usd or nil,
    input_tokens = job.input_tokens or 0,
    output_tokens = job.output_tokens or 0,
    cache_read_input_tokens = job.cache_read_tokens or 0,
    cache_creation_input_tokens = 0,
    duration_ms = job.duration_ms,
  }
  local lines = job.lines ~= false and (job.lines or { "X" }) or nil
  local record = vim.tbl_extend("error", accepted, {
    session_id = job.session_id,
    ended_ms = ended,
    error = job.error,
    text = lines and table.concat(lines, "\n"),
    lines = lines,
    held_for = job.held_for,
    share = amounts,
    counted = amounts,
    checkpoints = job.checkpoints or {},
    transcript = job.transcript,
  })
  local landing = job.landing == nil and (job.held_for and "held" or "applied") or job.landing
  local landed = {
    landing = landing,
    held_for = job.held_for,
    place = { first, first + #rows - 1 },
    rows = landing ~= "held" and lines or nil,
  }
  return { { "ended", record }, landing and { "landed", landed } or nil }
end

--- Writes the journal. The plugin has no host yet.
---@param jobs JournalJob[]
---@param data_dir string? default: the plugin's
function M.write(jobs, data_dir)
  local dir = (data_dir or require("botglue.host.client").options().data_dir) .. "/journal"
  local lines = {}
  local function add(uuid, what, is)
    lines[#lines + 1] = vim.json.encode({ v = 1, uuid = uuid, what = what, is = is })
  end
  add("", "begin", { session = SESSION, neovim = NEOVIM, is_start = true })
  for id, job in ipairs(jobs) do
    for _, change in ipairs(changes_of(id, job)) do
      add(job.uuid or "earlier-" .. id, unpack(change))
    end
  end
  vim.fn.mkdir(dir, "p")
  assert(vim.fn.writefile(lines, ("%s/%s-0.jsonl"):format(dir, SESSION)) == 0)
end

return M
