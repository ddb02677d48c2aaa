--- The view of a job at its range: its state and the newest code below the last row, the tools beside it, and its text
--- in `BotglueRange`. Each job has one view. It is drawn only if it is visible and has changed.

local block = require("botglue.ui.status.block")
local connection = require("botglue.host.connection")
local highlight = require("botglue.ui.highlight")
local line = require("botglue.ui.status.line")
local outcomes = require("botglue.ui.status.outcomes")
local ticker = require("botglue.ui.status.ticker")
local tools = require("botglue.ui.status.tools")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api

---@class botglue.View: botglue.Ticking
---@field job botglue.Job
---@field block botglue.Block
---@field frame integer counts the ticks
---@field unhighlight fun()
---@field drawn_mark integer? at which the line of an ended job was drawn last
---@field expiry uv.uv_timer_t? by which the line of an ended job goes
---@field is_closed boolean?
local View = {}
View.__index = View

--- The first and the last line of the range, clipped to the buffer.
---@return integer first
---@return integer last
function View:lines()
  local first, last = self.job.range:lines()
  local count = api.nvim_buf_line_count(self.job.range.bufnr)
  last = math.min(math.max(last, 1), count)
  return math.min(math.max(first, 1), last), last
end

--- The windows that show the range, the narrowest width, and the one that counts where they differ.
---@param shown botglue.Window[]
---@param first integer
---@param last integer
---@return integer? columns
---@return botglue.Window? main
local function seen_in(shown, first, last)
  local columns, main
  for _, window in ipairs(shown) do
    -- Or what stands right below it.
    if last >= window.topline - 1 and first <= window.botline + 1 then
      columns = math.min(columns or math.huge, windows.columns(window))
      main = (window.current or not main) and window or main
    end
  end
  return columns, main
end

--- Whether the buffer is beside its proposal, where rows below a range would shift it against that, or the answer is
--- under review, which says whose it is.
---@return boolean
function View:is_hidden()
  local diff, review = connection.diff, connection.review
  return diff ~= nil and diff.bufnr == self.job.range.bufnr or review ~= nil and review.job == self.job
end

--- Takes away what is drawn in windows, until it is drawn again.
function View:hide()
  tools.close(self)
  self.block:clear()
end

--- Draws what changed, if anybody can see it. What has ended is not drawn again when it comes in sight: it is drawn
--- anyway.
---@param shown table<integer, botglue.Window[]>? what the windows show
function View:draw(shown)
  local job, bufnr = self.job, self.job.range.bufnr
  if self.is_closed or not api.nvim_buf_is_loaded(bufnr) then
    return
  elseif self:is_hidden() or not job:is_open() and not job.range:place() then
    self:hide()
    return
  end
  if self.block.bufnr ~= bufnr then
    self.block:clear()
    self.block = block.new(bufnr)
  end
  local here = (shown or windows.snapshot())[bufnr] or {}
  local first, last = self:lines()
  local columns, main = seen_in(here, first, last)
  -- The first time it is drawn all the same, so that its height is there before it is seen.
  if not columns and self.block.mark and job:is_open() then
    return
  end
  local width = columns or vim.o.columns
  local rows = job:is_open() and line.rows(job, self.frame, width) or outcomes.rows(self, width)
  self.block:below(last, rows, here, main)
  if not job:is_open() then
    outcomes.drawn(self)
  end
  if main then
    self:draw_aside(first, last, main)
  else
    self.block:clear_aside()
  end
end

--- Draws the line beside the last visible row if the rows below are not visible.
---@param first integer
---@param last integer
---@param window botglue.Window
function View:draw_aside(first, last, window)
  local lnum
  if not self.block:is_seen(last, window) then
    lnum = math.min(last, window.botline)
    lnum = lnum >= math.max(first, window.topline) and lnum or nil
  end
  self.block:beside(lnum, window, function(room)
    return line.state(self.job, self.frame, room)
  end)
end

---@param shown table<integer, botglue.Window[]>
function View:tick(shown)
  self.frame = self.frame + 1
  local job = self.job
  if not job:is_open() then
    return
  end
  self:draw(shown)
  if not self:is_hidden() then
    tools.update(self, shown[job.range.bufnr] or {})
  end
end

--- Whether the window's end decides where it stands: a window ends in the range, or did when it was drawn.
---@param bottoms integer[] the last lines that windows show
---@return boolean
function View:is_at_end(bottoms)
  if not self.block:is_drawn() or not api.nvim_buf_is_loaded(self.job.range.bufnr) then
    return false
  end
  local first, last = self:lines()
  for _, bottom in ipairs(bottoms) do
    if bottom >= first and (bottom <= last or self.block.aside) then
      return true
    end
  end
  return false
end

--- The marks of its range were moved.
function View:moved()
  if self.job:is_open() then
    self.unhighlight()
    self.unhighlight = highlight.range(self.job.range)
  end
  if self.job.range.lost then
    self:hide()
  else
    ticker.soon(self)
  end
end

--- The job has ended: a line says how, for a while, or until a held answer is decided.
function View:finish()
  ticker.remove(self)
  tools.close(self)
  self.unhighlight()
  local job = self.job
  local is_held = job.landing == "held"
  if
    not is_held and (job.landing == "answered" or job.options.status.outcome == 0 or not job.range:place())
  then
    self:close()
    return
  end
  outcomes.add(self)
  if not is_held then
    outcomes.expire(self)
  end
  if not is_held and job.status == "done" then
    self.unhighlight = highlight.flash(job.range)
  end
end

--- Takes away all that is drawn.
function View:close()
  ticker.remove(self)
  if self.expiry and not self.expiry:is_closing() then
    self.expiry:close()
  end
  self.is_closed = true
  self.unhighlight()
  outcomes.remove(self)
end

--- Shows a job until it ends, or a held answer of an earlier time.
---@param job botglue.Job
---@return botglue.View
function M.open(job)
  local self = setmetatable({ job = job, frame = 0, block = block.new(job.range.bufnr) }, View)
  self.unhighlight = job:is_open() and highlight.range(job.range) or function() end
  if job:is_open() then
    self:draw()
    ticker.add(self)
  else
    outcomes.add(self)
  end
  return self
end

return M
