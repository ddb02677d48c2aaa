--- `:Botglue jobs`: a live list of all jobs of this Neovim, newest first, so that changes move no row. The host makes
--- the rows of changed jobs; the beat of the views at the ranges moves the signs of running ones, so that both cost
--- one redraw.

local connection = require("botglue.host.connection")
local counts = require("botglue.jobs.counts")
local line = require("botglue.ui.status.line")
local signs = require("botglue.util.signs")
local ticker = require("botglue.ui.status.ticker")
local view = require("botglue.ui.list.view")

local M = {}

local api = vim.api
local MAX_ENDED = 200 -- ended jobs in the list
local MAX_PROMPT = 1000 -- bytes of a prompt that are sent, wider than any screen
local BEATS = 2 -- of the ticker for one of the list: each time all running rows are drawn

---@class botglue.JobList: botglue.Ticking
---@field list botglue.List
---@field jobs botglue.Job[] those of the rows, in their order
---@field changes table<integer, true> the running jobs whose rows are out of date, by id
---@field asking boolean whether a request for rows is pending
---@field due boolean whether all rows must be requested, not only those of running jobs
---@field second integer of the clock, in which the times of running jobs were last requested
---@field beats integer of the ticker
---@field ticks boolean whether its `tick` is called
---@field group integer of autocommands
local Jobs = {}
Jobs.__index = Jobs

--- The listed jobs: all queued, running or held ones, and the newest ended ones.
---@return botglue.Job[]
local function shown()
  local jobs, ended = {}, 0
  for id = connection.last_id, 1, -1 do
    local job = connection.jobs[id]
    local is_over = job and not connection.open[id] and not connection.held[id]
    ended = ended + (is_over and 1 or 0)
    if job and (not is_over or ended <= MAX_ENDED) then
      jobs[#jobs + 1] = job
    end
  end
  return jobs
end

--- The fields that the host needs to make a row.
---@param job botglue.Job
---@return table
local function facts(job)
  local doing, failing = line.activity(job)
  return {
    id = job.id,
    path = job.path,
    name = job.name,
    line = math.max((job.range:lines()), 1),
    prompt = job.prompt:sub(1, MAX_PROMPT),
    status = job.status,
    doing = doing,
    is_failing = failing ~= nil,
    landing = job.landing,
    held_for = job.held_for,
    error = job.error,
    elapsed_ms = job:elapsed_ms(),
    cost_usd = job.cost_usd,
    has_session = job.session_id ~= nil,
    has_transcript = job.transcript ~= nil,
  }
end

--- Asks for rows of jobs.
---@param jobs botglue.Job[]
---@param callback fun(result: { table: botglue.Table, totals: string }?, err: string?)
local function ask(jobs, callback)
  local known = vim.tbl_map(facts, jobs)
  local totals = vim.tbl_extend("error", counts.of(), { cost_usd = counts.spent() })
  view.ask("jobs", { jobs = known, totals = totals }, callback)
end

--- The rows of all listed jobs, for a caller with its own display.
---@param callback fun(rows: botglue.Table?, err: string?)
function M.rows(callback)
  ask(shown(), function(result, err)
    callback(result and result.table, err)
  end)
end

--- Requests the rows of some jobs.
---@param jobs botglue.Job[]
---@param use fun(made: botglue.Table) called with the rows
function Jobs:ask(jobs, use)
  for _, job in ipairs(jobs) do
    self.changes[job.id] = nil
  end
  self.asking = true
  ask(jobs, function(result, err)
    self.asking = false
    if not self.list:is_open() then
      return
    elseif result then
      self.list:head(result.totals)
      use(result.table)
      self:spin()
    elseif #self.list.rows == 0 then
      self.list:say(err or "", "BotglueFailure")
    end
    if self.due then
      self:refresh()
    end
  end)
end

--- Requests and shows the rows of all jobs.
function Jobs:refresh()
  if not self.list:is_open() then
    return
  elseif self.asking then
    self.due = true
    return
  end
  self.due, self.jobs, self.changes = false, shown(), {}
  if #self.jobs == 0 then
    local earlier = connection.earlier
    local held = ("; :Botglue review shows %d held in earlier sessions"):format(earlier)
    self.list:say("no jobs in this session" .. (earlier > 0 and held or ""))
  else
    self:ask(self.jobs, function(made)
      self.list:show(made)
    end)
  end
  self:update_ticker()
end

function Jobs:spin()
  local turn = math.floor(self.beats / BEATS)
  local sign = signs.spinner[turn % #signs.spinner + 1]
  self.list:spin(sign)
end

--- Requests new rows for visible running jobs that have changed, and once a second, for their times, for all of them.
function Jobs:update_visible()
  local first, last = self.list:in_sight()
  local second, changed = math.floor(vim.uv.hrtime() / 1e9), {}
  for i = first, math.min(last, #self.jobs) do
    local job = self.jobs[i]
    if job:is_open() and (second ~= self.second or self.changes[job.id]) then
      changed[#changed + 1] = job
    end
  end
  self.second = second
  if #changed > 0 then
    self:ask(changed, function(made)
      self.list:update(made.rows)
    end)
  end
end

--- Updates the visible rows and the signs of running jobs.
function Jobs:tick()
  self.beats = self.beats + 1
  if self.beats % BEATS ~= 0 or not self.list:is_open() then
    return
  elseif api.nvim_win_get_tabpage(self.list.float.win) ~= api.nvim_get_current_tabpage() then
    return
  elseif self.due then
    self:refresh()
  elseif not self.asking then
    self:update_visible()
  end
  if not self.asking then
    -- Else the reply does, so that both cost one redraw.
    self:spin()
  end
end

--- Ticks while a job is open.
function Jobs:update_ticker()
  self.ticks = next(connection.open) ~= nil
  ticker[self.ticks and "add" or "remove"](self)
end

--- A job has emitted an event: of a listed running one the next tick requests the row, a new, ended or decided one
--- refreshes the whole list, once for several events.
---@param id integer
function Jobs:changed(id)
  if self.ticks and connection.open[id] and self.list.index[tostring(id)] then
    self.changes[id] = true
    return
  end
  if not self.ticks and not self.due then
    vim.schedule(function()
      self:refresh()
    end)
  end
  self.due = true
end

function Jobs:close()
  ticker.remove(self)
  api.nvim_del_augroup_by_id(self.group)
  if connection.list == self then
    connection.list = nil
  end
end

--- Opens the list.
function M.open()
  local self = setmetatable({ jobs = shown(), changes = {}, beats = 0, second = 0 }, Jobs)
  self.asking, self.due, self.ticks = false, false, false
  self.list = require("botglue.ui.list").open({
    name = "jobs",
    size = function()
      local height = math.min(math.max(#self.jobs, 4), math.floor(vim.o.lines * 0.6))
      return math.min(vim.o.columns - 4, 140), height
    end,
    keys = {
      { "<CR>", "jump", "jump" },
      { "r", "review", "review" },
      { "R", "retry", "retry" },
      { "f", "follow up", "followup" },
      { "t", "transcript", "transcript" },
      { "<C-q>", nil, "quickfix" },
    },
    on_close = function()
      self:close()
    end,
  })
  self.group = api.nvim_create_augroup("botglue.jobs." .. self.list.float.bufnr, { clear = true })
  api.nvim_create_autocmd("User", {
    group = self.group,
    pattern = "BotglueJob*",
    desc = "botglue: the list of jobs",
    callback = function(event)
      self:changed(event.data.id)
    end,
  })
  connection.list = self
  self:refresh()
end

return M
