--- What is drawn at a job's range: one line below its last row, and its text in `BotglueRange`.
---
--- One view a job, with a timer of its own; the timers of all jobs tick in the same moments, so that many jobs cost one
--- redraw. The height is one line from the start to the end. Drawn only while somebody can see it and it changed.

local highlight = require("botglue.ui.highlight")
local line = require("botglue.ui.line")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.status")
local TICK = 120 -- milliseconds

---@class botglue.View
---@field job botglue.Job
---@field mark integer?
---@field frame integer counts the ticks
---@field drawn string? what the screen shows
---@field unhighlight fun()
local View = {}
View.__index = View

--- The windows that show a row of a buffer, from 0.
---@param bufnr integer
---@param row integer
---@return integer[]
local function windows_showing(bufnr, row)
  return vim.tbl_filter(function(win)
    local info = vim.fn.getwininfo(win)[1]
    return info ~= nil and row >= info.topline - 2 and row <= info.botline
  end, vim.fn.win_findbuf(bufnr))
end

---@param windows integer[]
---@return integer columns
local function narrowest(windows)
  local width = vim.o.columns
  for _, win in ipairs(windows) do
    local info = vim.fn.getwininfo(win)[1]
    width = math.min(width, info.width - info.textoff)
  end
  return width
end

--- The row below which the line goes.
function View:row()
  local _, last = self.job.range:lines()
  local count = api.nvim_buf_line_count(self.job.range.bufnr)
  return math.min(math.max(last, 1), count) - 1
end

---@param chunks [string, string][]
---@param row integer
function View:place(chunks, row)
  self.mark = api.nvim_buf_set_extmark(self.job.range.bufnr, namespace, row, 0, {
    id = self.mark,
    virt_lines = { chunks },
    right_gravity = false,
    priority = 100,
  })
end

--- Draws what changed, if anybody can see it.
function View:draw()
  local bufnr = self.job.range.bufnr
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local row = self:row()
  local windows = windows_showing(bufnr, row)
  if #windows == 0 and self.mark then
    return
  end
  local chunks = line.chunks(self.job, self.frame, narrowest(windows))
  local drawn = line.text(chunks) .. "\n" .. row
  local at = self.mark and api.nvim_buf_get_extmark_by_id(bufnr, namespace, self.mark, {})[1]
  if drawn ~= self.drawn or at ~= row then
    self:place(chunks, row)
    self.drawn = drawn
  end
end

function View:tick()
  self.frame = self.frame + 1
  local job = self.job
  if job.retry_landing then
    job.retry_landing()
  end
  if not job:is_open() then
    return
  end
  if job.update_due then
    require("botglue.events").update(job)
  end
  self:draw()
end

function View:start()
  local timer = assert(vim.uv.new_timer())
  local pending = false
  self.timer = timer
  -- A common phase: every view ticks when the clock passes a whole tick.
  timer:start(TICK - vim.uv.now() % TICK, TICK, function()
    if pending then
      return
    end
    pending = true
    vim.schedule(function()
      pending = false
      if self.timer == timer then
        self:tick()
      end
    end)
  end)
end

function View:stop()
  local timer = self.timer
  self.timer = nil
  if timer and not timer:is_closing() then
    timer:stop()
    timer:close()
  end
end

--- The answer is held: the line stays, and stands still.
function View:hold()
  self:stop()
  self.unhighlight()
  self:draw()
end

--- Takes away all that is drawn.
function View:close()
  self:stop()
  self.unhighlight()
  if self.mark then
    pcall(api.nvim_buf_del_extmark, self.job.range.bufnr, namespace, self.mark)
    self.mark = nil
  end
end

--- Shows a job until it ends.
---@param job botglue.Job
---@return botglue.View
function M.open(job)
  local self = setmetatable({ job = job, frame = 0, unhighlight = highlight.range(job.range) }, View)
  self:draw()
  self:start()
  return self
end

return M
