--- The lines of jobs that have ended: when they are drawn, how long one stays below its range, and how many are shown
--- on one row. They share their autocommands, which exist as long as any line does.
---
--- Neovim does not order the virtual lines of several marks on one row, so the newest job draws them all.

local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local line = require("botglue.ui.status.line")
local ticker = require("botglue.ui.status.ticker")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api
local MOST = 3 -- lines below one row; then a line says how many more there are

---@class botglue.Outcomes
---@field views table<botglue.View, true>
---@field unseen table<botglue.View, true> failures where the cursor was not yet
---@field group integer of the autocommands

--- Whether the user is in the lines of a range.
---@param view botglue.View
---@return boolean
local function is_visited(view)
  if api.nvim_get_current_buf() ~= view.job.range.bufnr then
    return false
  end
  local first, last = view:lines()
  local lnum = api.nvim_win_get_cursor(0)[1]
  return lnum >= first and lnum <= last
end

--- Draws the lines again that stand where they do because a window ends there.
---@param outcomes botglue.Outcomes
---@param bufnr integer? only those of this buffer
local function draw_at_ends(outcomes, bufnr)
  local bottoms = {}
  for view in pairs(outcomes.views) do
    local own = view.job.range.bufnr
    if bufnr == nil or bufnr == own then
      bottoms[own] = bottoms[own]
        or vim.tbl_map(function(win)
          return vim.fn.line("w$", win)
        end, windows.of(own))
      if view:is_at_end(bottoms[own]) then
        view:draw()
      end
    end
  end
end

--- The line goes after a while.
---@param view botglue.View
local function expire(view)
  view.expiry = vim.defer_fn(function()
    view:close()
  end, view.job.options.status.outcome * 1000)
end

--- Follows the windows and the cursor for all lines.
---@return botglue.Outcomes
local function start()
  local group = api.nvim_create_augroup("botglue.outcomes", {})
  local outcomes = { views = {}, unseen = {}, group = group }
  local changed = {}
  local draw_changed = debounce(function()
    local buffers = changed
    changed = {}
    for bufnr in pairs(buffers) do
      draw_at_ends(outcomes, bufnr)
    end
  end)
  local function on(events, callback)
    api.nvim_create_autocmd(events, {
      group = group,
      desc = "botglue: the lines of ended jobs",
      callback = callback,
    })
  end
  on("TextChanged", function(event)
    changed[event.buf] = true
    draw_changed()
  end)
  on("WinScrolled", function()
    draw_at_ends(outcomes)
  end)
  on("WinResized", function()
    for view in pairs(outcomes.views) do
      if view.block:is_drawn() then
        view:draw()
      end
    end
  end)
  on({ "CursorMoved", "CursorMovedI", "WinEnter", "BufEnter" }, function()
    for view in pairs(outcomes.unseen) do
      if is_visited(view) then
        outcomes.unseen[view] = nil
        expire(view)
      end
    end
  end)
  return outcomes
end

--- The views of ended jobs whose lines hang on a row, the newest first.
---@param view botglue.View one of them
---@return botglue.View[]
local function on_row(view)
  local bufnr, outcomes = view.block.bufnr, connection.outcomes
  local row = outcomes and api.nvim_buf_is_loaded(bufnr) and view.block:row()
  local found = vim.tbl_filter(function(other)
    return other.block.bufnr == bufnr and other.block:row() == row
  end, row and vim.tbl_keys(outcomes.views) or {})
  table.sort(found, function(a, b)
    return a.job.id > b.job.id
  end)
  return found
end

--- Draws the newest of the others on the row of a view: it draws the lines of all, or did until now.
---@param view botglue.View
---@param views botglue.View[] all of the row, the newest first
local function draw_newest_other(view, views)
  local other = views[1] == view and views[2] or views[1]
  if other and other ~= view then
    ticker.soon(other)
  end
end

--- The lines that the mark of an ended job draws: all of its row, or none.
---@param view botglue.View
---@param width integer
---@return [string, string][][]
function M.rows(view, width)
  local views = on_row(view)
  if #views == 0 then
    return { line.chunks(view.job, 0, width) }
  elseif views[1] ~= view then
    return {}
  end
  local rows = {}
  for rank = 1, math.min(#views, MOST) do
    rows[rank] = line.chunks(views[rank].job, 0, width)
  end
  if #views > MOST then
    rows[#rows + 1] = { { ("%d more"):format(#views - MOST), "BotgluePrompt" } }
  end
  return rows
end

--- From now on the line of a job that has ended is there.
---@param view botglue.View
function M.add(view)
  local outcomes = connection.outcomes or start()
  connection.outcomes = outcomes
  outcomes.views[view] = true
  ticker.soon(view)
end

--- The line of a job was drawn. The first time the others on its row are drawn again.
---@param view botglue.View
function M.drawn(view)
  local mark = view.block.mark
  if view.drawn_mark == mark then
    return
  end
  view.drawn_mark = mark
  local views = on_row(view)
  if #views > 1 then
    ticker.soon(view)
    draw_newest_other(view, views)
  end
end

--- Lets the line of a job go after a while; that of a failure once the cursor has been there for so long.
---@param view botglue.View
function M.expire(view)
  if view.job.status ~= "failed" or is_visited(view) then
    expire(view)
  else
    connection.outcomes.unseen[view] = true
  end
end

--- Takes away the line of a job.
---@param view botglue.View
function M.remove(view)
  local outcomes = connection.outcomes
  if not outcomes or not outcomes.views[view] then
    view:hide()
    return
  end
  local views = on_row(view)
  outcomes.views[view], outcomes.unseen[view] = nil, nil
  view:hide()
  draw_newest_other(view, views)
  if next(outcomes.views) == nil then
    api.nvim_del_augroup_by_id(outcomes.group)
    connection.outcomes = nil
  end
end

return M
