--- The windows that show a buffer under review: how wide they are, what they can show, and that the cursor keeps its
--- row of the screen when rows are drawn above it.

local M = {}

local api = vim.api

-- Before 0.11 a namespace is drawn in all windows, and virtual lines do not scroll sideways.
M.IS_SCOPED = api.nvim__ns_set ~= nil

local ASIDE = 3 -- rows of a window that a hunk leaves free

---@class botglue.Pane one or more windows in which the same is drawn
---@field winid integer the first of them
---@field namespace integer
---@field columns integer cells for text
---@field textoff integer
---@field folds table<integer, integer> for rows at which hunks are drawn the first line of the closed fold, or -1
---@field leftcol integer how many are out of sight at the left
---@field scrolls boolean whether virtual lines scroll sideways with the text
---@field gutter [string, string]? what is before and after the sign of a row that comes
---@field has_signs boolean whether there is a sign column
---@field tabstop integer
---@field cap integer how many lines of a hunk can be seen
---@field first integer the rows to draw, from 0: those that are shown, and as many above and below them
---@field past integer

--- The windows of the tab page that show a buffer.
---@param bufnr integer
---@return integer[]
function M.of(bufnr)
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_buf(win) == bufnr
  end, api.nvim_tabpage_list_wins(0))
end

--- The window of this tab page that shows a buffer; one is opened where there is none.
---@param bufnr integer
---@return integer win
---@return boolean is_new
function M.find_or_open(bufnr)
  for _, win in ipairs(vim.list_extend({ api.nvim_get_current_win() }, api.nvim_tabpage_list_wins(0))) do
    if api.nvim_win_get_buf(win) == bufnr and api.nvim_win_get_config(win).relative == "" then
      return win, false
    end
  end
  vim.cmd("topleft split")
  api.nvim_win_set_buf(0, bufnr)
  return api.nvim_get_current_win(), true
end

--- Whether the sign column is there without signs of ours.
---@param win integer
---@param namespaces table<integer, boolean> those that are ours
---@return boolean
local function has_signs(win, namespaces)
  local option = vim.wo[win].signcolumn
  if option:find("^yes") then
    return true
  elseif not option:find("^auto") then
    return false
  end
  local signs =
    api.nvim_buf_get_extmarks(api.nvim_win_get_buf(win), -1, 0, -1, { type = "sign", details = true })
  return vim.iter(signs):any(function(sign)
    return not namespaces[sign[4].ns_id]
  end)
end

--- The blanks around the sign of a row that comes: in the sign column where there is one, else beside the text.
---@param win integer
---@param textoff integer
---@param is_column boolean whether there is a sign column
---@return [string, string]?
local function gutter(win, textoff, is_column)
  if textoff < 2 then
    return nil
  end
  local before = textoff - 2
  if is_column and vim.wo[win].statuscolumn == "" then
    before = math.min(tonumber(vim.wo[win].foldcolumn:match("%d$")) or 0, before)
  end
  return { (" "):rep(before), (" "):rep(textoff - 2 - before) }
end

---@param win integer
---@param namespace integer
---@param namespaces table<integer, boolean>
---@return botglue.Pane
local function pane_of(win, namespace, namespaces)
  local info = vim.fn.getwininfo(win)[1]
  local wraps, is_column = vim.wo[win].wrap, has_signs(win, namespaces)
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  local top, bottom = vim.fn.line("w0", win), vim.fn.line("w$", win)
  return {
    winid = win,
    namespace = namespace,
    columns = math.max(info.width - info.textoff, 1),
    textoff = info.textoff,
    folds = {},
    leftcol = wraps and 0 or M.IS_SCOPED and view.leftcol or 0,
    scrolls = not wraps and M.IS_SCOPED,
    gutter = wraps and M.IS_SCOPED and gutter(win, info.textoff, is_column) or nil,
    has_signs = is_column and vim.wo[win].statuscolumn == "",
    tabstop = vim.bo[info.bufnr].tabstop,
    cap = math.max(info.height - ASIDE, 1),
    first = math.max(top - 1 - info.height, 0),
    past = bottom + info.height,
  }
end

--- Whether what was drawn in a window is not what is to be drawn there any more: it was scrolled, its gutter became
--- another, or a fold was opened or closed.
---@param pane botglue.Pane
---@return boolean
function M.is_stale(pane)
  if not api.nvim_win_is_valid(pane.winid) then
    return true
  end
  return api.nvim_win_call(pane.winid, function()
    local leftcol = pane.scrolls and vim.fn.winsaveview().leftcol or pane.leftcol
    return vim.fn.line("w0") - 1 < pane.first
      or vim.fn.line("w$") > pane.past
      or leftcol ~= pane.leftcol
      or vim.fn.getwininfo(pane.winid)[1].textoff ~= pane.textoff
      or vim.iter(pane.folds):any(function(row, start)
        return vim.fn.foldclosed(row + 1) ~= start
      end)
  end)
end

--- All windows as one, where they cannot be told apart: cut to the narrowest.
---@param panes botglue.Pane[]
---@return botglue.Pane?
local function merged(panes)
  local one = panes[1]
  for _, pane in ipairs(panes) do
    one.columns, one.cap = math.min(one.columns, pane.columns), math.min(one.cap, pane.cap)
    one.first, one.past = math.min(one.first, pane.first), math.max(one.past, pane.past)
    one.has_signs = one.has_signs and pane.has_signs
  end
  return one
end

--- What is to be drawn in, each with a namespace of its own. A window in diff mode shows no hunks.
---@param bufnr integer
---@return botglue.Pane[]
function M.panes(bufnr)
  local panes, namespaces = {}, {}
  local wins = vim.tbl_filter(function(win)
    return not vim.wo[win].diff
  end, M.of(bufnr))
  for i in ipairs(wins) do
    namespaces[i] = api.nvim_create_namespace("botglue.review." .. (M.IS_SCOPED and i or 1))
  end
  local ours = {}
  for _, namespace in pairs(namespaces) do
    ours[namespace] = true
  end
  for i, win in ipairs(wins) do
    panes[i] = pane_of(win, namespaces[i], ours)
    if M.IS_SCOPED then
      api.nvim__ns_set(namespaces[i], { wins = { win } })
    end
  end
  if not M.IS_SCOPED then
    -- What is drawn would be in a window in diff mode, too.
    return #wins == #M.of(bufnr) and { merged(panes) } or {}
  end
  return panes
end

--- How many rows of the screen lines take in the current window, with the virtual lines between them; those above the
--- first one count only where that is said.
---@param first integer from 1
---@param last integer
---@param with_fill boolean?
---@return integer
local function height(first, last, with_fill)
  local range = { start_row = first - 1, end_row = last - 1, start_vcol = not with_fill and 0 or nil }
  return api.nvim_win_text_height(0, range).all
end

--- How many virtual lines are above a line in the current window.
---@param line integer
---@return integer
local function fill_above(line)
  return height(line, line, true) - height(line, line)
end

--- The first line of the closed fold that holds a line, else that line.
---@param line integer
---@return integer
local function fold_start(line)
  local start = vim.fn.foldclosed(line)
  return start > 0 and start or line
end

--- How many rows of the screen are above the cursor's line in the current window.
---@return integer? nil where its topmost line is cut
local function rows_above()
  local view = vim.fn.winsaveview()
  local line = fold_start(view.lnum)
  if view.skipcol > 0 or line < view.topline then
    return nil
  end
  return height(view.topline, line) - height(line, line) + view.topfill
end

--- Scrolls the current window so that so many rows are above the cursor's line, as far as that can be. Above the first
--- line virtual lines are seen only where a window is told so.
---@param rows integer
local function scroll_to(rows)
  local line = fold_start(vim.fn.line("."))
  local own, top = height(line, line), line
  while top > 1 and height(top, line, true) - own < rows do
    top = fold_start(top - 1)
  end
  local fill = fill_above(top)
  local shown = math.min(math.max(rows - (height(top, line) - own), 0), fill)
  if top == 1 then
    shown = math.min(fill, math.max(api.nvim_win_get_height(0) - height(1, line), 0))
  end
  vim.fn.winrestview({ topline = top, topfill = shown })
end

--- Draws, and leaves the cursor in its row of the screen in each window of a buffer.
---@param bufnr integer
---@param draw fun()
function M.keep(bufnr, draw)
  local rows = {}
  for _, win in ipairs(M.of(bufnr)) do
    rows[win] = api.nvim_win_call(win, rows_above)
  end
  draw()
  for win, above in pairs(rows) do
    api.nvim_win_call(win, function()
      if rows_above() ~= above or vim.fn.line("w0") == 1 then
        scroll_to(above)
      end
    end)
  end
end

--- Shows what is above the first line of a window that has come to it.
---@param win integer
function M.show_top(win)
  api.nvim_win_call(win, function()
    vim.fn.winrestview({ topfill = fill_above(1) })
  end)
end

--- Scrolls the current window so that a hunk under the cursor is seen to its end, or as far as there is room.
---@param hunk botglue.Hunk
function M.reveal(hunk)
  vim.cmd("normal! zv")
  local view = vim.fn.winsaveview()
  local last = math.min(math.max(hunk.first + hunk.count, 1), api.nvim_buf_line_count(0))
  local below = last < api.nvim_buf_line_count(0) and fill_above(last + 1) or 0
  if height(math.min(view.topline, view.lnum), last) + view.topfill + below > api.nvim_win_get_height(0) then
    local top = math.max(view.lnum - vim.wo.scrolloff, 1)
    vim.fn.winrestview({ topline = top, topfill = fill_above(top) })
  end
end

return M
