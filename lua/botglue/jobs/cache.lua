--- The jobs of this Neovim: for each its range, and the facts that the host has reported. The host decides what
--- becomes of a job; this module stores what it reports. A job does not refer to other jobs.

local capture = require("botglue.editor.capture")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local events = require("botglue.jobs.events")
local fail = require("botglue.host.errors").fail
local notify = require("botglue.host.notify")
local observe = require("botglue.jobs.observe")
local text = require("botglue.util.text")

local M = {}

---@class botglue.Job
---@field id integer
---@field facts botglue.JobFacts what the host has reported of it
---@field path string
---@field range botglue.Range
---@field started integer when it was requested, in |uv.hrtime()|
---@field ended integer?
---@field asked_from botglue.Whereabouts? for a question: where the user was after sending it
---@field uuid string? for an answer taken over from another session: its key in the store
---@field observers botglue.Observer[]
---@field observed boolean? whether the host forwards its updates; nil until the job was sent
---@field deciding "asked"|"pending"|nil a decision was sent; asked: a call waits for the reply; pending: none does
local Job = {}
Job.__index = Job

--- Redraws status lines with the counts: Neovim does not redraw them when a job changes in the background.
local draw_counts = debounce(function()
  if connection.counted then
    vim.cmd.redrawstatus({ bang = true })
  end
end)

--- Whether it has not ended yet.
function Job:is_open()
  return self.facts.status ~= "done" and self.facts.status ~= "failed"
end

--- Whether it has ended, and no decision on its answer is pending.
function Job:is_settled()
  return not self:is_open() and not self.deciding
end

--- Whether its answer waits for a decision.
function Job:is_held()
  return self.facts.landing == "held"
end

--- Returns a new table of the job for the API and the events.
---@return botglue.JobTable
function Job:table()
  local first, last = self.range:lines()
  -- A range that became empty at the top of the buffer has line 0, but only an insertion is reported with that.
  local least = self.range.kind == "insert" and 0 or 1
  local facts = vim.deepcopy(self.facts) --[[@as botglue.JobTable]]
  facts.path, facts.held_why = nil, facts.held_for == "doubtful" and facts.held_why or nil
  return vim.tbl_extend("error", facts, {
    bufnr = self.range.bufnr,
    kind = self.range.kind,
    first_line = math.max(first, least),
    last_line = math.max(last, least),
    path = self.path,
    elapsed_ms = math.floor(((self.ended or vim.uv.hrtime()) - self.started) / 1e6),
  })
end

--- Enters a state, and tells its observers.
---@param status string
function Job:enter(status)
  if self.facts.status ~= status then
    self.facts.status = status
    observe.tell(self, { kind = "state", status = status })
  end
end

--- Applies what the host reports.
---@param patch table `Patch` in src/session/job_patch.rs; `vim.NIL` removes a field; or `updates` for observers
function Job:take(patch)
  local facts, set = self.facts, patch.set or {}
  local was_open, was_held = self:is_open(), self:is_held()
  for _, update in ipairs(was_open and patch.updates or {}) do
    -- A job with an update is running; the patch with that state comes later.
    self:enter("running")
    observe.tell(self, update)
  end
  for field, value in pairs(set) do
    if field ~= "status" then
      facts[field] = value ~= vim.NIL and value or nil
    end
  end
  if set.error then
    facts.error.message = text.clean(set.error.message)
  end
  facts.tools = patch.tools or facts.tools
  self.deciding = not patch.is_decided and self.deciding or nil
  self:enter(was_open and set.status or facts.status)
  if was_open and not self:is_open() then
    self.ended = vim.uv.hrtime()
    observe.finished(self)
    events.emit("BotglueJobFinished", self)
  end
  local is_decided, review = was_held and not self:is_held(), connection.review
  if is_decided and review and review.job == self then
    review:close()
  end
  if is_decided or was_open and not self:is_open() then
    draw_counts()
  end
  if patch.news then
    notify.add(vim.tbl_extend("error", patch.news, { id = self.id }))
  end
  if patch.unfollowed then
    self.range:forget()
  end
  if patch.is_update then
    events.emit("BotglueJobUpdated", self)
  end
end

--- Fails the job here, because there is no host that would report its end.
---@param err { code: string, message: string }
function Job:fail(err)
  if self:is_open() then
    local is_told = require("botglue.host.client").options().notify ~= "none"
    self:take({
      id = self.id,
      set = { status = "failed", error = err },
      news = is_told and { verb = "failed", words = err.message, level = "ERROR" } or nil,
    })
  end
end

--- Loads its buffer if it is not loaded and its file can be read.
---@return integer? bufnr
function Job:load()
  if vim.api.nvim_buf_is_loaded(self.range.bufnr) then
    return self.range.bufnr
  end
  local bufnr = require("botglue.editor.load").file(self.path)
  if bufnr and bufnr ~= self.range.bufnr then
    self.range:move_to(bufnr)
  end
  return bufnr
end

--- Returns a new range at its current place, for another job; loads its file if needed. Raises an error if the place
--- is unknown.
---@return botglue.Range
function Job:again()
  return self:load() and self.range:again()
    or fail("the place of job %d is not known: select the lines and start a new job", self.id)
end

--- The job with an id; raises an error if there is none.
---@param id any
---@return botglue.Job
function M.job(id)
  return connection.jobs[id] or fail("there is no job %s", tostring(id))
end

--- Adds a job to those of this Neovim.
---@param range botglue.Range
---@param facts table the known facts: from a request, or from a held answer that is taken over
---@param took_ms integer? how long a job took that has ended
---@return botglue.Job
function M.add(range, facts, took_ms)
  connection.last_id = connection.last_id + 1
  local now, id = vim.uv.hrtime(), connection.last_id
  facts = vim.tbl_extend("force", { id = id, status = "queued", tools = {} }, facts)
  local times = { started = now - (took_ms or 0) * 1e6, ended = took_ms and now }
  local job = { id = id, facts = facts, path = facts.path, range = range, observers = {} }
  connection.jobs[id] = setmetatable(vim.tbl_extend("error", job, times), Job)
  draw_counts()
  return connection.jobs[id]
end

--- Applies what the host reports of jobs, oldest first.
---@param patches table[]
function M.take(patches)
  for _, patch in ipairs(patches) do
    local job = connection.jobs[patch.id]
    if job and patch.gone then
      connection.jobs[job.id] = nil
      local cost = job.facts.cost_usd
      connection.spent = cost and (connection.spent or 0) + cost or connection.spent
      job.range:forget()
    elseif job then
      job:take(patch)
    end
  end
end

--- Where the jobs are.
---@param bufnr integer? only the jobs in this buffer
---@return table[]
function M.places(bufnr)
  local found, api = {}, vim.api
  for id, job in pairs(connection.jobs) do
    local range, first, last = job.range, job.range:lines()
    if not bufnr or range.bufnr == bufnr then
      local place = range:place()
      local column = place and (place.from or place.spans and place.spans[1][1] or 0)
      if column and column > 0 then
        -- The cursor cannot be after the last character.
        local row = api.nvim_buf_get_lines(range.bufnr, first - 1, first, false)[1] or ""
        column = math.max(math.min(column, #row - 1), 0)
      end
      local buffer = api.nvim_buf_is_loaded(range.bufnr) and range.bufnr or nil
      found[#found + 1] = { id = id, buffer = buffer, first = first, last = last, column = column }
    end
  end
  return found
end

--- Makes a job of a held answer from the store.
---@param answer table `hold` in src/host/earlier.rs: `id`, the lost job of this Neovim that it belongs to, if any;
--- `set`, the facts of its job; and what was selected
---@return integer id
local function restore(answer)
  local path, lost = answer.set.path, answer.id and connection.jobs[answer.id]
  local bufnr = path ~= "" and vim.fn.bufadd(path) or lost and lost.range.bufnr or -1
  local range = require("botglue.editor.marks").unmarked(bufnr, answer)
  local place = lost and lost.range.bufnr == bufnr and lost.range:place()
  if lost and place then
    range:mark(place, lost.range.shape)
  end
  local job = M.add(range, answer.set, answer.took_ms)
  job.uuid = answer.uuid
  capture.want(range.bufnr, job)
  return job.id
end

--- Makes jobs of held answers, and forgets the lost jobs whose answers the host has searched for.
---@param told { answers: table[], lost: integer[] }
---@return integer[] ids
function M.hold(told)
  connection.earlier = #told.lost > 0 and connection.earlier or 0
  connection.lost = vim.tbl_filter(function(id)
    return not vim.list_contains(told.lost, id)
  end, connection.lost)
  return vim.tbl_map(restore, told.answers)
end

-- Loaded only if there were jobs: introduces them to a new host, and ends them when the host or Neovim ends.
for name, does in pairs({ ready = "introduce", lost = "host_lost", ending = "confirm", leaving = "leave" }) do
  table.insert(connection.hooks[name], function(...)
    if connection.last_id > 0 then
      require("botglue.jobs.host_gone")[does](...)
    end
  end)
end

return M
