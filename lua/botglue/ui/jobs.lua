--- `:Botglue jobs`: every job of this Neovim, live, newest first, so that no row moves when a job goes on.
---
--- Draws on the events of jobs, and while one runs with a tick of its own; a row is written only when it changed. What
--- a key does is `act`'s.

local act = require("botglue.ui.act")
local amounts = require("botglue.ui.amounts")
local client = require("botglue.client")
local columns = require("botglue.ui.columns")
local counts = require("botglue.counts")
local fail = require("botglue.errors").fail
local line = require("botglue.ui.line")
local signs_of = require("botglue.ui.signs").of

local M = {}

local api = vim.api
local TICK = 120 -- milliseconds
local SHOWN = 200 -- jobs that have ended

---@class botglue.JobList
---@field float botglue.Float
---@field options botglue.Options
---@field jobs botglue.Job[] as their rows follow each other
---@field rows botglue.Chunks[]
---@field seen table<integer, boolean> the numbers of `jobs`
---@field stale boolean whether more than the rows of those that run has to be drawn
---@field frame integer counts the ticks
local List = {}
List.__index = List

--- Those that are shown: all that run or are held, and the newest of those that have ended.
---@return botglue.Job[]
local function shown()
  local connection, jobs, ended = client.connection(), {}, 0
  for id = connection.last_id, 1, -1 do
    local job = connection.jobs[id]
    local is_over = job and not connection.open[id] and not connection.held[id]
    ended = ended + (is_over and 1 or 0)
    if job and (not is_over or ended <= SHOWN) then
      jobs[#jobs + 1] = job
    end
  end
  return jobs
end

---@param job botglue.Job
---@return string
local function place(job)
  return ("%s:%d"):format(require("botglue.ui.name").of(job.path, job.name), math.max((job.range:lines()), 1))
end

---@param job botglue.Job
---@param frame integer
---@return botglue.Cell sign
---@return botglue.Cell words
local function state(job, frame, signs)
  if job.status == "ready" then
    return { signs.ready, "BotglueReady" }, { "ready to land", "BotglueReady" }
  elseif job:is_open() then
    local words, group = line.activity(job, signs)
    return { line.sign(job, frame, signs), "BotglueSpinner" }, {
      words or job.status,
      group or "BotglueActivity",
    }
  elseif job.status == "failed" then
    return { signs.failed, "BotglueFailure" }, { job.error.message, "BotglueFailure", wide = true }
  end
  return act.landing(job.landing, job.held_for, signs)
end

---@param job botglue.Job
---@return botglue.Chunks
function List:row(job)
  local signs = signs_of(self.options)
  local sign, words = state(job, self.frame, signs)
  return columns.row({
    sign,
    { tostring(job.id), "BotglueLabel" },
    { place(job) },
    { job.prompt },
    words,
    { amounts.duration(job:elapsed_ms()), "BotglueLabel" },
    { job.cost_usd and amounts.money(job.cost_usd, "") or "", "BotglueLabel" },
  }, self.columns, self.gap, signs.cut)
end

--- How wide the columns are: they stay so while jobs go on.
function List:measure()
  local room, places, ids, cost = self.float.width - 2, 8, 1, 0
  for _, job in ipairs(self.jobs) do
    places = math.max(places, api.nvim_strwidth(place(job)))
    ids = math.max(ids, #tostring(job.id))
    cost = job.cost_usd and 6 or cost
  end
  self.gap = room < 60 and 1 or 2
  self.columns = columns.fit({
    { width = 1 },
    { width = ids, right = true },
    { width = math.min(places, math.floor(room * 0.25)), drop = 2, keep_end = true },
    { width = 12, rest = true },
    { width = math.max(math.floor(room * 0.24), 14) },
    { width = 6, right = true, drop = 3 },
    { width = cost, right = true, drop = 1 },
  }, room, self.gap)
end

--- The job in the cursor's row.
---@return botglue.Job
function List:at_cursor()
  local job = self.jobs[api.nvim_win_get_cursor(self.float.win)[1]]
  return job or fail("there is no job")
end

---@return string
function List:counts()
  local connection = client.connection()
  local parts = counts.words(counts.of(connection), { "running", "queued", "held" })
  local spent = counts.spent(connection)
  if spent then
    parts[#parts + 1] = amounts.money(spent, "")
  end
  return table.concat(parts, signs_of(self.options).between)
end

--- Draws all of it: something other than the time changed.
function List:redraw()
  if not self.float:is_open() then
    return
  end
  local row = api.nvim_win_get_cursor(self.float.win)[1]
  local before = self.jobs[row]
  self.jobs, self.stale, self.seen = shown(), false, {}
  for _, job in ipairs(self.jobs) do
    self.seen[job.id] = true
  end
  self.float:resize(self:size())
  self.float:title("jobs", self:counts())
  self:measure()
  self.rows = vim.tbl_map(function(job)
    return self:row(job)
  end, self.jobs)
  if #self.rows == 0 then
    self.rows = { { { " no job was started yet", "BotglueLabel" } } }
  end
  self.float:draw(self.rows)
  for i, job in ipairs(self.jobs) do
    if job == before and i ~= row then
      api.nvim_win_set_cursor(self.float.win, { i, 0 })
    end
  end
  self:run()
end

---@return integer width
---@return integer height
function List:size()
  return math.min(vim.o.columns - 4, 140), math.min(math.max(#self.jobs, 4), math.floor(vim.o.lines * 0.6))
end

--- Draws the rows of those that run and are in sight.
function List:tick()
  self.frame = self.frame + 1
  local win = self.float.win
  if api.nvim_win_get_tabpage(win) ~= api.nvim_get_current_tabpage() then
    return
  end
  if self.stale then
    self:redraw()
    return
  end
  local first, last = vim.fn.line("w0", win), math.min(vim.fn.line("w$", win), #self.jobs)
  for i = first, last do
    if self.jobs[i]:is_open() then
      self.rows[i] = self:row(self.jobs[i])
    end
  end
  self.float:draw(self.rows, first, last)
  self.float:title("jobs", self:counts())
end

--- Ticks while a job runs.
function List:run()
  local wanted = next(client.connection().open) ~= nil
  if wanted and not self.timer then
    local timer = assert(vim.uv.new_timer())
    self.timer = timer
    local once = require("botglue.soon").once(function()
      if self.timer == timer and self.float:is_open() then
        self:tick()
      end
    end)
    timer:start(TICK, TICK, once)
  elseif not wanted then
    self:rest()
  end
end

function List:rest()
  if self.timer then
    self.timer:close()
    self.timer = nil
  end
end

--- Something happened to a job. What one does that runs is seen at the next tick anyway; all is drawn for what comes,
--- goes or was decided, once for several of them.
---@param id integer
function List:changed(id)
  if self.timer and client.connection().open[id] and self.seen[id] then
    return
  end
  if not self.timer and not self.stale then
    vim.schedule(function()
      self:redraw()
    end)
  end
  self.stale = true
end

---@return botglue.Key[]
function List:keys()
  local function on(fn)
    return function(float)
      fn(self:at_cursor(), float)
    end
  end
  return {
    { "<CR>", "jump", on(act.jump) },
    { "r", "review", on(act.review) },
    { "R", "retry", on(act.retry) },
    { "f", "follow up", on(act.followup) },
    { "t", "transcript", on(act.transcript) },
  }
end

--- Opens the list.
function M.open()
  local options = client.options()
  local self = setmetatable({ options = options, jobs = shown(), seen = {}, rows = {}, frame = 0 }, List)
  local width, height = self:size()
  self.float = require("botglue.ui.float").open({
    name = "jobs",
    options = options,
    width = width,
    height = height,
    title = { left = "jobs", right = self:counts() },
    keys = self:keys(),
    cursorline = true,
    on_close = function()
      self:rest()
      api.nvim_del_augroup_by_id(self.group)
      if client.connection().list == self then
        client.connection().list = nil
      end
    end,
    on_resize = function()
      self:redraw()
    end,
  })
  self.group = api.nvim_create_augroup("botglue.jobs." .. self.float.bufnr, { clear = true })
  api.nvim_create_autocmd("User", {
    group = self.group,
    pattern = "BotglueJob*",
    desc = "botglue: the list of jobs",
    callback = function(event)
      self:changed(event.data.id)
    end,
  })
  client.connection().list = self
  self:redraw()
end

return M
