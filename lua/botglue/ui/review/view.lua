--- The review of a held answer in its buffer: its changes are drawn as hunks, which follow the user's edits. A Neovim
--- has at most one.

local at = require("botglue.ui.review.at")
local connection = require("botglue.host.connection")
local draw = require("botglue.ui.review.draw")
local head = require("botglue.ui.review.head")
local highlight = require("botglue.ui.highlight")
local reasons = require("botglue.jobs.reasons")
local keys = require("botglue.ui.review.keys")
local notify = require("botglue.host.notify")
local panes = require("botglue.ui.review.panes")
local proposal = require("botglue.jobs.proposal")
local scroll = require("botglue.ui.review.scroll")
local status = require("botglue.ui.status")
local debounce = require("botglue.util.debounce")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api

-- Options on which it depends how hunks are drawn.
local OPTIONS = "number,relativenumber,numberwidth,signcolumn,foldcolumn,statuscolumn,wrap,tabstop,diff"

---@class botglue.Review
---@field job botglue.Job
---@field bufnr integer
---@field keys string the keys that are ours, for the head line
---@field panes botglue.ReviewPane[] what was drawn in
---@field tops table<integer, integer> the topmost line of each window, as last seen
---@field is_shown boolean whether hunks were shown once
---@field is_due boolean? whether they are to be drawn as soon as windows can be looked into
---@field visited { id: string, row: integer, tick: integer }? the hunk that the cursor went to
---@field group integer
---@field stop fun()
local Review = {}
Review.__index = Review

---@return botglue.Hunk[]
function Review:hunks()
  return self.job.proposal and self.job.proposal.hunks or {}
end

--- The hunk that the cursor went to, while it is there.
---@return string? id
function Review:visited_here()
  local visited = self.visited
  local is_here = visited
    and visited.row == api.nvim_win_get_cursor(0)[1] - 1
    and visited.tick == api.nvim_buf_get_changedtick(self.bufnr)
  return is_here and visited.id or nil
end

--- Goes to a hunk in the current window.
---@param index integer
function Review:visit(index)
  local hunk = self:hunks()[index]
  local row = math.min(at.row(hunk), api.nvim_buf_line_count(self.bufnr) - 1)
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { row + 1, 0 })
  self.visited = { id = hunk.id, row = row, tick = api.nvim_buf_get_changedtick(self.bufnr) }
  self:follow_windows()
  scroll.reveal(hunk)
end

---@return botglue.Picture
function Review:picture()
  local job = self.job
  return {
    bufnr = self.bufnr,
    hunks = self:hunks(),
    gone = job.proposal.gone or {},
    row = math.max((job.range:lines()) - 1, 0),
    head = head.of(job, self.keys),
  }
end

--- Draws the hunks that are near a window. Where the text has changed since they were computed there are others soon;
--- until then those that are drawn move with it.
function Review:redraw()
  if not proposal.is_current(self.job) then
    return
  end
  self.is_due = windows.is_typing_interrupted()
  if self.is_due then
    return
  end
  local picture = self:picture()
  scroll.keep(self.bufnr, function()
    for _, pane in ipairs(self.panes) do
      draw.clear(self.bufnr, pane)
    end
    self.panes = panes.of(self.bufnr)
    for _, pane in ipairs(self.panes) do
      draw.pane(picture, pane)
    end
  end)
  if #self.panes > 0 and not self.job.proposal.why then
    self.job.shown = self.job.proposal.tick
  end
end

--- Windows may have changed: what has come near is drawn, and what is above the first line shown.
function Review:follow_windows()
  if self.is_due or vim.iter(self.panes):any(panes.is_stale) then
    self:redraw()
  end
  for _, win in ipairs(windows.of(self.bufnr)) do
    local top = vim.fn.line("w0", win)
    if top == 1 and self.tops[win] ~= 1 then
      scroll.show_top(win)
    end
    self.tops[win] = top
  end
end

--- There is a new proposal, or the answer was decided.
function Review:update()
  local job = self.job
  if job.landing ~= "held" then
    self:close()
    return
  end
  local why = job.proposal and job.proposal.why
  if why and not self.is_shown then
    self:close()
    if not require("botglue.jobs.decide").misplaced(job) then
      notify.error(("botglue: the review of job %d: %s"):format(job.id, reasons.held(why)))
    end
    -- It asks the host, which waits for this call of its own.
    vim.schedule(function()
      require("botglue.host.errors").guard(require("botglue.ui.review.edit").open, job.id)
    end)
    return
  end
  self:redraw()
  if not self.is_shown then
    self.is_shown = true
    self:show_first()
  end
end

--- Goes to the first hunk, unless one is in sight.
function Review:show_first()
  if api.nvim_get_current_buf() ~= self.bufnr or #self:hunks() == 0 then
    return
  end
  local first, past = vim.fn.line("w0") - 1, vim.fn.line("w$")
  if #at.within(self:hunks(), first, past) == 0 then
    self:visit(1)
  end
end

--- Takes away all of it. What was taken or dropped stays so.
function Review:close()
  if connection.review ~= self then
    return
  end
  connection.review = nil
  api.nvim_del_augroup_by_id(self.group)
  self.stop()
  keys.unmap(self.bufnr)
  if api.nvim_buf_is_loaded(self.bufnr) then
    scroll.keep(self.bufnr, function()
      for _, pane in ipairs(self.panes) do
        draw.clear(self.bufnr, pane)
      end
    end)
  end
  status.place()
end

function Review:watch()
  self.group = api.nvim_create_augroup("botglue.review", { clear = true })
  local function on(events, opts, fn)
    opts.group, opts.desc, opts.callback = self.group, "botglue: the review", fn
    api.nvim_create_autocmd(events, opts)
  end
  local redraw = debounce(function()
    if connection.review == self then
      self:redraw()
    end
  end)
  -- What is drawn within the event is on the screen with what has scrolled.
  on("WinScrolled", {}, function()
    self:follow_windows()
  end)
  -- No event tells of folds, and of a gutter.
  on("SafeState", {}, function()
    if api.nvim_get_mode().mode == "n" then
      self:follow_windows()
    end
  end)
  on({ "WinResized", "BufWinEnter", "WinEnter", "DiffUpdated" }, {}, redraw)
  on("OptionSet", { pattern = OPTIONS }, redraw)
  on({ "BufUnload", "BufWipeout" }, { buffer = self.bufnr }, function()
    -- A buffer that is read again is there in the next tick.
    vim.schedule(function()
      if not api.nvim_buf_is_loaded(self.bufnr) then
        self:close()
      end
    end)
  end)
end

--- Ends the review that is open.
function M.close()
  local review = connection.review
  if not review then
    require("botglue.host.errors").fail("no review is open")
  end
  review:close()
end

--- Opens the review of a held answer whose place is known, in place of one that is open.
---@param job botglue.Job
function M.open(job)
  require("botglue.host.errors").no_window_in_cmdwin()
  if connection.review then
    connection.review:close()
  end
  local win = windows.find_or_open(job.range.bufnr)
  api.nvim_set_current_win(win)
  highlight.define()
  local self = setmetatable({
    job = job,
    bufnr = job.range.bufnr,
    panes = {},
    tops = {},
    is_shown = false,
    keys = keys.map(job.range.bufnr),
  }, Review)
  connection.review = self
  status.place()
  self:watch()
  self.stop = proposal.follow(job, function()
    self:update()
  end)
end

return M
