--- The review of a held answer in its buffer; a Neovim has at most one. Reports to the host the windows in which
--- hunks are drawn, and draws the marks that the host makes for them.

local capture = require("botglue.editor.capture")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local highlight = require("botglue.ui.highlight")
local keys = require("botglue.ui.review.keys")
local scroll = require("botglue.ui.review.scroll")
local status = require("botglue.ui.status")
local windows = require("botglue.ui.geometry")

local M = {}

local api = vim.api
local OURS = "%#BotglueHeld#" -- the beginning of a review's winbar

--- The namespace of the marks in the window at a position of the host's list.
---@param number integer
---@return integer
local function namespace_of(number)
  return api.nvim_create_namespace("botglue.review." .. number)
end

--- The closed folds in some rows of the current window.
---@param first integer
---@param past integer
---@return { first: integer, last: integer }[]
local function folds(first, past)
  local found, line = {}, first + 1
  while line <= math.min(past, vim.fn.line("$")) do
    local from, to = vim.fn.foldclosed(line), vim.fn.foldclosedend(line)
    if from > 0 then
      found[#found + 1] = { first = from - 1, last = to - 1 }
    end
    line = math.max(line, to) + 1
  end
  return found
end

--- A window in which hunks are drawn: `Pane` in src/ui/review.rs.
---@param win integer
---@return table
local function pane_of(win)
  local info, wo = vim.fn.getwininfo(win)[1], vim.wo[win]
  -- The height with a winbar, whether there is one or not.
  local height = math.max(info.height + info.winbar - 1, 1)
  -- In multiples of the height, so that few scrolls change the rows.
  local first = math.max(math.floor((info.topline - 1) / height) - 1, 0) * height
  local past = (math.floor(info.botline / height) + 2) * height
  return {
    win = win,
    width = info.width,
    textoff = info.textoff,
    folds = wo.foldenable and api.nvim_win_call(win, function()
      return folds(first, past)
    end) or {},
    leftcol = wo.wrap and 0 or info.leftcol,
    scrolls = not wo.wrap,
    tabstop = vim.bo[info.bufnr].tabstop,
    height = height,
    first = first,
    past = past,
  }
end

---@class botglue.Review
---@field job botglue.Job
---@field bufnr integer
---@field keys string[] the keys that it has mapped
---@field panes table[]? the windows as reported last
---@field drawn integer the number of windows in which something is drawn
---@field tops table<integer, integer> the topmost line of each window when it was last checked
local Review = {}
Review.__index = Review

--- Sets the review's winbar in a window, or restores the user's.
---@param win integer
---@param bar string?
local function set_winbar(win, bar)
  local current = vim.wo[win][0].winbar
  local is_ours = vim.startswith(current, OURS)
  if bar and not is_ours then
    vim.w[win].botglue_winbar = current
  end
  if bar or is_ours then
    -- Fails in a window of one row, which has no room for it.
    local wanted = bar or vim.w[win].botglue_winbar or ""
    pcall(api.nvim_set_option_value, "winbar", wanted, { win = win, scope = "local" })
  end
end

--- Goes to a hunk in the current window.
---@param there { row: integer, past: integer }
function Review:visit(there)
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { there.row + 1, 0 })
  self:follow_windows()
  scroll.reveal(there.past)
end

--- Tells the host in which windows, and near which rows, it has to draw hunks.
function Review:report()
  if windows.is_typing_interrupted() then
    return
  end
  -- A window in diff mode shows none.
  local wins = vim.tbl_filter(function(win)
    return not vim.wo[win].diff
  end, windows.of(self.bufnr))
  local found = vim.tbl_map(pane_of, wins)
  if vim.deep_equal(found, self.panes) then
    return
  end
  self.panes = found
  local is_here = api.nvim_get_current_buf() == self.bufnr
  client.tell("panes", {
    id = self.job.id,
    buffer = self.bufnr,
    keys = self.keys,
    sight = is_here and { vim.fn.line("w0") - 1, vim.fn.line("w$") } or nil,
    panes = found,
  })
end

table.insert(connection.hooks.started, function()
  vim.schedule(function()
    local review = connection.review
    if review then
      review.panes = nil
      capture.want(review.bufnr, review.job)
      review:report()
    end
  end)
end)

--- Replaces all that is drawn.
---@param painted table[] for each window: row, byte and options of the marks, and the winbar
function Review:draw(painted)
  local bars = {}
  scroll.keep(self.bufnr, function()
    for i = 1, self.drawn do
      api.nvim_buf_clear_namespace(self.bufnr, namespace_of(i), 0, -1)
    end
    for i, pane in ipairs(painted) do
      local namespace, win = namespace_of(i), pane.win
      bars[win] = pane.bar
      if api.nvim_win_is_valid(win) then
        api.nvim__ns_set(namespace, { wins = { win } })
      end
      for _, mark in ipairs(pane.marks) do
        local row, col, opts = unpack(mark)
        -- Undo must not bring a mark back that the host has not drawn for that text.
        opts.undo_restore, opts.strict = false, false
        api.nvim_buf_set_extmark(self.bufnr, namespace, row, col, opts)
      end
    end
    for _, win in ipairs(vim.fn.win_findbuf(self.bufnr)) do
      set_winbar(win, bars[win])
    end
  end)
  self.drawn = #painted
end

--- Draws what the host says. If the text has changed since, the host will draw again soon; until then the old marks
--- move with the text.
---@param painted table
function M.paint(painted)
  local review, tick = connection.review, painted.tick
  if not review or painted.id ~= review.job.id or not api.nvim_buf_is_loaded(review.bufnr) then
    return
  elseif tick and tick ~= api.nvim_buf_get_changedtick(review.bufnr) then
    return
  elseif windows.is_typing_interrupted() then
    review.panes = nil
    return
  end
  review:draw(painted.panes)
  if review.drawn > 0 and tick then
    client.tell("shown", { id = painted.id, tick = tick })
  end
  if painted.there and api.nvim_get_current_buf() == review.bufnr then
    review:visit(painted.there)
  end
end

--- Windows may have changed: reports them, and shows the virtual lines above line 1 in those that have come to it.
function Review:follow_windows()
  self:report()
  for _, win in ipairs(windows.of(self.bufnr)) do
    local top = vim.fn.line("w0", win)
    if top == 1 and self.tops[win] ~= 1 then
      scroll.show_top(win)
    end
    self.tops[win] = top
  end
end

--- Ends the review and removes all that is drawn. Hunks that were taken or dropped stay so.
function Review:close()
  if connection.review ~= self then
    return
  end
  connection.review = nil
  api.nvim_del_augroup_by_name("botglue.review")
  client.tell("panes", { id = self.job.id })
  keys.unmap(self.bufnr)
  if api.nvim_buf_is_loaded(self.bufnr) then
    self:draw({})
  end
  status.place()
end

function Review:watch()
  api.nvim_create_autocmd({ "WinScrolled", "SafeState" }, {
    group = api.nvim_create_augroup("botglue.review", { clear = true }),
    desc = "botglue: the review",
    callback = function(event)
      -- Drawn within `WinScrolled`, hunks are on the screen together with the scrolled rows. `SafeState`, because
      -- folds and the width of the gutter change without an event.
      if event.event == "SafeState" and api.nvim_get_mode().mode ~= "n" then
        return
      elseif api.nvim_buf_is_loaded(self.bufnr) then
        self:follow_windows()
      else
        self:close()
      end
    end,
  })
  -- A window may get a stale winbar: copied from another window, or as it was when it last showed the buffer.
  api.nvim_create_autocmd("BufWinEnter", {
    group = api.nvim_create_augroup("botglue.review.head", { clear = true }),
    desc = "botglue: the head line of a review that has ended",
    callback = function(event)
      if not connection.review or connection.review.bufnr ~= event.buf then
        set_winbar(api.nvim_get_current_win())
      end
    end,
  })
end

--- Ends the review that is open.
function M.close()
  (connection.review or errors.fail("no review is open")):close()
end

--- Opens the review of a held answer whose place is known; closes another one.
---@param job botglue.Job
function M.open(job)
  local bufnr = job.range.bufnr
  api.nvim_set_current_win((windows.find_or_open(bufnr)))
  if vim.wo.diff then
    errors.fail("no hunks in diff mode: use :diffoff, or see :Botglue diff %d", job.id)
  elseif connection.review then
    connection.review:close()
  end
  highlight.define()
  local self =
    setmetatable({ job = job, bufnr = bufnr, drawn = 0, tops = {}, keys = keys.map(bufnr) }, Review)
  connection.review = self
  status.place()
  self:watch()
  self:report()
end

return M
