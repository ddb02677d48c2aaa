--- Shows the proposal of a held answer beside its buffer: the text if the answer were accepted. It is read-only, both
--- are in diff mode, and it is drawn again whenever the buffer changes.

local connection = require("botglue.host.connection")
local decide = require("botglue.jobs.decide")
local fail = require("botglue.host.errors").fail
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api

---@class botglue.Hunk rows that go, and rows that come in their place
---@field first integer its first row, from 0
---@field count integer how many rows go; 0: it is an insertion above row `first`
---@field conflict boolean
---@field lines string[] the rows that come

---@class botglue.Hunks of a job in the text with a changedtick, or why there are none
---@field id integer
---@field tick integer
---@field hunks botglue.Hunk[] ascending
---@field why string?

---@class botglue.Diff
---@field job botglue.Job
---@field bufnr integer the job's
---@field side integer the buffer with the proposal
---@field wins { buffer: integer, side: integer }
---@field group integer
---@field own_window boolean whether the window of the buffer was opened for this
local Diff = {}
Diff.__index = Diff

--- A text with hunks in it.
---@param rows string[]
---@param hunks botglue.Hunk[] ascending
---@param is_insertion boolean whether they put rows in, and replace none
---@return string[]
local function proposal(rows, hunks, is_insertion)
  local lines, from = {}, 1
  if is_insertion and #hunks > 0 and #rows == 1 and rows[1] == "" then
    -- The one row of a buffer without text makes room.
    return hunks[1].lines
  end
  for _, hunk in ipairs(hunks) do
    vim.list_extend(lines, rows, from, hunk.first)
    vim.list_extend(lines, hunk.lines)
    from = hunk.first + hunk.count + 1
  end
  vim.list_extend(lines, rows, from, #rows)
  return #lines > 0 and lines or { "" }
end

---@param win integer
---@param words string
local function title(win, words)
  if api.nvim_win_is_valid(win) then
    vim.wo[win][0].winbar = words:gsub("%%", "%%%%")
  end
end

--- Whether it is open still.
---@return boolean
function Diff:is_open()
  return connection.diff == self and api.nvim_win_is_valid(self.wins.side)
end

---@param hunks botglue.Hunk[]
function Diff:draw(hunks)
  local bo = vim.bo[self.side]
  local rows = api.nvim_buf_get_lines(self.bufnr, 0, -1, false)
  bo.modifiable, bo.readonly = true, false
  api.nvim_buf_set_lines(self.side, 0, -1, false, proposal(rows, hunks, self.job.range.kind == "insert"))
  bo.modifiable, bo.readonly = false, true
  api.nvim_win_call(self.wins.side, vim.cmd.diffupdate)
  local conflicts = #vim.tbl_filter(function(hunk)
    return hunk.conflict
  end, hunks)
  local job = self.job
  local between = require("botglue.util.signs").between
  local parts = {
    ("job %d, if accepted"):format(job.id),
    #hunks == 0 and "no change" or #hunks == 1 and "1 hunk" or ("%d hunks"):format(#hunks),
  }
  if conflicts > 0 then
    parts[#parts + 1] = conflicts == 1 and "1 conflict" or ("%d conflicts"):format(conflicts)
  end
  parts[#parts + 1] = "q close"
  title(self.wins.side, table.concat(parts, between))
end

--- Has the host tell what is proposed, now and after each change.
function Diff:follow()
  local told = decide.place(self.job)
  told.tabstop = vim.bo[self.bufnr].tabstop
  if connection.process then
    connection.process:notify("diff", told)
  end
end

--- Draws what is proposed. Where the buffer has changed since there is more soon.
---@param told botglue.Hunks
function Diff:show(told)
  if told.id ~= self.job.id or not self:is_open() then
    return
  elseif told.why then
    title(self.wins.side, told.why)
  elseif told.tick == api.nvim_buf_get_changedtick(self.bufnr) then
    self:draw(told.hunks)
    connection.process:notify("shown", { id = told.id, tick = told.tick })
  end
end

--- Takes away all of it.
function Diff:close()
  if connection.diff ~= self then
    return
  end
  connection.diff = nil
  if connection.process then
    connection.process:notify("diff", { id = self.job.id, buffer = self.bufnr })
  end
  api.nvim_del_augroup_by_id(self.group)
  if api.nvim_win_is_valid(self.wins.side) then
    pcall(api.nvim_win_close, self.wins.side, true)
  end
  if api.nvim_buf_is_valid(self.side) then
    api.nvim_buf_delete(self.side, { force = true })
  end
  if api.nvim_win_is_valid(self.wins.buffer) then
    api.nvim_win_call(self.wins.buffer, vim.cmd.diffoff)
    if self.own_window then
      pcall(api.nvim_win_close, self.wins.buffer, false)
    end
  end
  require("botglue.ui.status").place()
  if connection.review then
    connection.review:report()
  end
end

function Diff:watch()
  self.group = api.nvim_create_augroup("botglue.diff", { clear = true })
  api.nvim_create_autocmd("WinClosed", {
    group = self.group,
    pattern = { tostring(self.wins.buffer), tostring(self.wins.side) },
    desc = "botglue: the proposal",
    callback = vim.schedule_wrap(function()
      self:close()
    end),
  })
end

---@param job botglue.Job
---@return botglue.Diff
local function open_beside(job)
  local bufnr = job.range.bufnr
  local win, is_new = windows.find_or_open(bufnr)
  api.nvim_set_current_win(win)
  if is_new then
    pcall(api.nvim_win_set_cursor, win, { math.max((job.range:lines()), 1), 0 })
  end
  local side = require("botglue.ui.scratch").make()
  pcall(api.nvim_buf_set_name, side, ("botglue://diff/job %d/after"):format(job.id))
  vim.bo[side].syntax = vim.bo[bufnr].filetype
  vim.cmd("rightbelow vertical split")
  local self = setmetatable({
    job = job,
    bufnr = bufnr,
    side = side,
    wins = { buffer = win, side = api.nvim_get_current_win() },
    own_window = is_new,
  }, Diff)
  api.nvim_win_set_buf(self.wins.side, side)
  vim.keymap.set("n", "q", function()
    self:close()
  end, { buffer = side, nowait = true, desc = "botglue: close" })
  api.nvim_win_call(win, vim.cmd.diffthis)
  vim.cmd.diffthis()
  return self
end

--- The text before a landed answer, and the written text.
---@param job botglue.Job
local function compare(job)
  local before, after = job.range.before, job.range.landed
  if not before or not after then
    fail("job %d has nothing to compare", job.id)
  end
  ---@cast before botglue.Base
  ---@cast after botglue.Base
  require("botglue.editor.ask").open("texts", {
    title = ("job %d"):format(job.id),
    left = before.rows,
    right = after.rows,
    filetype = vim.bo[job.range.bufnr].filetype,
  })
end

--- Shows the proposal of a held answer; of a landed one what was there before, and after.
---@param id integer
function M.open(id)
  local job = require("botglue.jobs.registry").job(id)
  require("botglue.host.errors").no_window_in_cmdwin()
  if job.landing ~= "held" then
    compare(job)
    return
  elseif not job:load() then
    fail("the buffer of job %d is gone: see :Botglue edit %d", id, id)
  elseif job.range.lost then
    fail("the place of job %d is not known: see :Botglue edit %d", id, id)
  end
  if connection.diff then
    connection.diff:close()
  end
  local self = open_beside(job)
  connection.diff = self
  require("botglue.ui.status").place()
  self:watch()
  self:follow()
end

return M
