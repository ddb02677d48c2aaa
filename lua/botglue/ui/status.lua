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

--- How many columns there are for a line at a row, in the narrowest window that shows it; nil when none does.
---@param bufnr integer
---@param row integer from 0
---@return integer?
local function room(bufnr, row)
  local width
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local info = vim.fn.getwininfo(win)[1]
    -- One row more at each end: the line itself may be seen where its row is not.
    if info and row >= info.topline - 2 and row <= info.botline then
      width = math.min(width or math.huge, info.width - info.textoff)
    end
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
  local width = room(bufnr, row)
  -- The first time it is drawn all the same, so that its height is there before it is seen.
  if not width and self.mark then
    return
  end
  local chunks = line.chunks(self.job, self.frame, width or vim.o.columns)
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
  if job.land_again then
    job.land_again()
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

--- Shows a held answer of an earlier time.
---@param job botglue.Job
---@return botglue.View
function M.hold(job)
  local self = setmetatable({ job = job, frame = 0, unhighlight = function() end }, View)
  self:draw()
  return self
end

return M
