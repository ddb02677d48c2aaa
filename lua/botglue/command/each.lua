--- `:Botglue each`: starts one job for each item of the quickfix list. This module finds the lines of each item;
--- `results` shows how the jobs end.

local fail = require("botglue.host.errors").fail
local selection = require("botglue.editor.selection")

local M = {}

local api = vim.api
local MANY = 30 -- jobs; more are started only after the user has confirmed

---@class botglue.RowGroup rows that one job is for
---@field bufnr integer
---@field first integer from 1
---@field last integer
---@field notes table[] what the list says of them, in the shape of diagnostics

--- The list that is meant: the location list in whose window the user is, else the quickfix list.
---@return table[] items
---@return "quickfix"|"location"|nil window the kind of list in the current window
local function list()
  local info = vim.fn.getwininfo(api.nvim_get_current_win())[1]
  if info.loclist == 1 then
    return vim.fn.getloclist(0), "location"
  end
  return vim.fn.getqflist(), info.quickfix == 1 and "quickfix" or nil
end

--- The items that a command's range means: in a window with a list those rows, else those that lie in the rows of the
--- buffer.
---@param items table[]
---@param window string?
---@param range { first: integer, last: integer }?
---@return table[]
local function within(items, window, range)
  if not range then
    return items
  elseif window then
    return vim.list_slice(items, range.first, range.last)
  end
  local bufnr = api.nvim_get_current_buf()
  return vim.tbl_filter(function(item)
    local last = item.end_lnum > 0 and item.end_lnum or item.lnum
    return item.bufnr == bufnr and item.lnum <= range.last and last >= range.first
  end, items)
end

--- Loads the buffer of an item without showing it.
---@param bufnr integer
---@return boolean
local function load(bufnr)
  if not api.nvim_buf_is_loaded(bufnr) then
    require("botglue.editor.load").file(api.nvim_buf_get_name(bufnr))
  end
  return api.nvim_buf_is_loaded(bufnr)
end

local SEVERITY = { e = "error", w = "warning", i = "info", n = "hint" }

--- The message of an item; nil if it only repeats the text of the line, as that of a search does.
---@param item table
---@return table?
local function note(item)
  local text = vim.trim(item.text)
  local row = api.nvim_buf_get_lines(item.bufnr, item.lnum - 1, item.lnum, false)[1] or ""
  if text == "" or text == vim.trim(row) then
    return nil
  end
  return {
    line = item.lnum,
    severity = SEVERITY[item.type:lower()] or "info",
    message = text,
    source = "",
  }
end

--- The rows of items; those that share a row are one job's.
---@param items table[] valid ones
---@return botglue.RowGroup[]
---@return integer lost how many are in no file, or behind its end
local function groups(items)
  local found, lost = {}, 0
  for _, item in ipairs(items) do
    if not load(item.bufnr) or item.lnum > api.nvim_buf_line_count(item.bufnr) then
      lost = lost + 1
    else
      local last = math.min(math.max(item.end_lnum, item.lnum), api.nvim_buf_line_count(item.bufnr))
      found[#found + 1] = { bufnr = item.bufnr, first = item.lnum, last = last, notes = { note(item) } }
    end
  end
  -- In the order of the list, whichever rows come first in their file.
  local order = {}
  for i, group in ipairs(found) do
    order[group] = i
  end
  table.sort(found, function(a, b)
    if a.bufnr ~= b.bufnr then
      return a.bufnr < b.bufnr
    end
    return a.first < b.first or (a.first == b.first and order[a] < order[b])
  end)
  local merged = {}
  for _, group in ipairs(found) do
    local before = merged[#merged]
    if before and before.bufnr == group.bufnr and group.first <= before.last then
      before.last = math.max(before.last, group.last)
      vim.list_extend(before.notes, group.notes)
      order[before] = math.min(order[before], order[group])
    else
      merged[#merged + 1] = group
    end
  end
  table.sort(merged, function(a, b)
    return order[a] < order[b]
  end)
  return merged, lost
end

---@param count integer
---@return boolean
local function confirmed(count)
  local question = ("botglue: start %d jobs, %d at a time?"):format(
    count,
    require("botglue.host.client").options().max_parallel
  )
  return vim.fn.confirm(question, "&Start\n&Cancel", 2) == 1
end

---@class botglue.EachOptions
---@field range { first: integer, last: integer }? the rows that the command was given
---@field review boolean? hold every answer
---@field agent string?
---@field model string?
---@field ask boolean whether the user can be asked to confirm many jobs

--- Starts the jobs.
---@param prompt string
---@param opts botglue.EachOptions
function M.start(prompt, opts)
  if not prompt:find("%S") then
    fail("each needs a prompt")
  end
  local named = require("botglue.jobs.prompts").find(prompt, require("botglue.host.client").options())
  if named and named.ask then
    fail("each changes text, and this prompt asks a question: use it with ask")
  end
  local all, window = list()
  if #all == 0 then
    fail("the %s list is empty", window or "quickfix")
  end
  local items = vim.tbl_filter(function(item)
    return item.valid == 1 and item.bufnr > 0 and item.lnum > 0
  end, within(all, window, opts.range))
  if #items == 0 then
    fail("no %s item %s", window or "quickfix", opts.range and "in these lines" or "is a place in a file")
  end
  local ranges, lost = groups(items)
  if #ranges == 0 then
    fail("the files of the %s list are not there", window or "quickfix")
  elseif lost > 0 then
    require("botglue.host.notify").warn(("botglue: %d items are in no file, or behind its end"):format(lost))
  end
  if #ranges > MANY and opts.ask and not confirmed(#ranges) then
    return
  end
  local options = require("botglue.host.client").options()
  local run = require("botglue.jobs.run")
  local ids = {}
  for i, group in ipairs(ranges) do
    local request =
      { prompt = prompt, review = opts.review, agent = opts.agent, model = opts.model, notes = group.notes }
    ids[i] = run.begin(selection.lines(group.bufnr, group.first, group.last), request, options)
  end
  require("botglue.jobs.results").open(prompt, ids)
end

return M
