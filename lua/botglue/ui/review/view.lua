--- The review of a held answer in its buffer: its changes are drawn as hunks, which follow the user's edits. A Neovim
--- has at most one. The host says what is drawn, in the windows that are reported to it.

local connection = require("botglue.host.connection")
local decide = require("botglue.jobs.decide")
local highlight = require("botglue.ui.highlight")
local keys = require("botglue.ui.review.keys")
local paint = require("botglue.ui.review.paint")
local panes = require("botglue.ui.review.panes")
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
---@field show_text fun(id: integer, is_text: true)
---@field bufnr integer
---@field keys string the keys that are ours, for the head line
---@field panes botglue.ReviewPane[] those that were reported
---@field drawn botglue.ReviewPane[] what was drawn in
---@field serial integer counts the reports
---@field tops table<integer, integer> the topmost line of each window, as last seen
---@field is_shown boolean whether hunks were shown once
---@field is_due boolean? whether they are to be drawn as soon as windows can be looked into
---@field visited { id: string, row: integer, tick: integer }? the hunk that the cursor went to
---@field group integer
local Review = {}
Review.__index = Review

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
---@param hunk { id: string, row: integer, past: integer }
function Review:visit(hunk)
  local row = math.min(hunk.row, api.nvim_buf_line_count(self.bufnr) - 1)
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { row + 1, 0 })
  self.visited = { id = hunk.id, row = row, tick = api.nvim_buf_get_changedtick(self.bufnr) }
  self:follow_windows()
  scroll.reveal(hunk.past)
end

--- Tells the host in which windows hunks are drawn, and near which rows; it draws them there.
function Review:report()
  self.is_due = windows.is_typing_interrupted()
  if self.is_due then
    return
  end
  self.serial, self.panes = self.serial + 1, panes.of(self.bufnr)
  if connection.process then
    local is_here = api.nvim_get_current_buf() == self.bufnr
    connection.process:notify("panes", {
      id = self.job.id,
      buffer = self.bufnr,
      serial = self.serial,
      keys = self.keys,
      row = math.max((self.job.range:lines()) - 1, 0),
      top = is_here and vim.fn.line("w0") - 1 or nil,
      past = is_here and vim.fn.line("w$") or nil,
      panes = self.panes,
    })
  end
end

--- Has the host tell what is proposed, now and after each change.
function Review:follow()
  decide.place(self.job)
  self:report()
end

---@class botglue.PaintedReview
---@field id integer
---@field serial integer
---@field tick integer
---@field panes botglue.PaintedPane[]
---@field has_none boolean? there are no hunks, because its place is not known
---@field failed boolean? there were none before, either: the answer is to be shown alone
---@field first { id: string, row: integer, past: integer }? the first hunk, where none is in sight

--- Draws what the host says for the windows as they were reported last. Where the text has changed since there is more
--- soon; until then what is drawn moves with it.
---@param painted botglue.PaintedReview
function Review:show(painted)
  local id = self.job.id
  if painted.id ~= id then
    return
  elseif painted.failed and not self.is_shown then
    self:close()
    -- It asks the host, which waits for this call of its own.
    vim.schedule(function()
      require("botglue.host.errors").guard(self.show_text, id, true)
    end)
    return
  end
  local is_current = painted.has_none or painted.tick == api.nvim_buf_get_changedtick(self.bufnr)
  if painted.serial ~= self.serial or not is_current then
    return
  end
  self.is_due = windows.is_typing_interrupted()
  if self.is_due then
    return
  end
  scroll.keep(self.bufnr, function()
    for _, pane in ipairs(self.drawn) do
      paint.clear(self.bufnr, pane)
    end
    self.drawn = self.panes
    for i, pane in ipairs(self.drawn) do
      paint.draw(self.bufnr, pane, painted.panes[i])
    end
  end)
  if #self.drawn > 0 and not painted.has_none then
    connection.process:notify("shown", { id = id, tick = painted.tick })
  end
  local first = not self.is_shown and painted.first
  self.is_shown = true
  if first and api.nvim_get_current_buf() == self.bufnr then
    self:visit(first)
  end
end

--- Windows may have changed: what has come near is drawn, and what is above the first line shown.
function Review:follow_windows()
  if self.is_due or vim.iter(self.panes):any(panes.is_stale) then
    self:report()
  end
  for _, win in ipairs(windows.of(self.bufnr)) do
    local top = vim.fn.line("w0", win)
    if top == 1 and self.tops[win] ~= 1 then
      scroll.show_top(win)
    end
    self.tops[win] = top
  end
end

--- Takes away all of it. What was taken or dropped stays so.
function Review:close()
  if connection.review ~= self then
    return
  end
  connection.review = nil
  api.nvim_del_augroup_by_id(self.group)
  if connection.process then
    local ended = { id = self.job.id, buffer = self.bufnr, serial = 0, keys = "", row = 0, panes = {} }
    connection.process:notify("panes", ended)
  end
  keys.unmap(self.bufnr)
  if api.nvim_buf_is_loaded(self.bufnr) then
    scroll.keep(self.bufnr, function()
      for _, pane in ipairs(self.drawn) do
        paint.clear(self.bufnr, pane)
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
      self:report()
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
---@param show_text fun(id: integer, is_text: true) shows the answer alone, where it turns out that there are no hunks
function M.open(job, show_text)
  require("botglue.host.errors").no_window_in_cmdwin()
  if connection.review then
    connection.review:close()
  end
  local win = windows.find_or_open(job.range.bufnr)
  api.nvim_set_current_win(win)
  highlight.define()
  local self = setmetatable({
    job = job,
    show_text = show_text,
    bufnr = job.range.bufnr,
    panes = {},
    drawn = {},
    serial = 0,
    tops = {},
    is_shown = false,
    keys = keys.map(job.range.bufnr),
  }, Review)
  connection.review = self
  status.place()
  self:watch()
  self:follow()
end

return M
