--- `:Botglue each`: reads the quickfix list for the host, which says which lines each job is for, and starts the jobs.

local ask = require("botglue.editor.ask")
local selection = require("botglue.editor.selection")

local M = {}

local api = vim.api

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

--- Whether an item is a place in a file, and in the lines that a command was given: in a window with a list those rows,
--- else those of the buffer.
---@param item table
---@param row integer
---@param window string?
---@param range { [1]: integer, [2]: integer }?
---@return boolean
local function is_meant(item, row, window, range)
  if item.valid ~= 1 or item.bufnr <= 0 or item.lnum <= 0 then
    return false
  elseif not range then
    return true
  elseif window then
    return range[1] <= row and row <= range[2]
  end
  local last = math.max(item.end_lnum, item.lnum)
  return item.bufnr == api.nvim_get_current_buf() and item.lnum <= range[2] and last >= range[1]
end

--- An item as the host needs it. Its buffer is loaded without being shown.
---@param item table
---@return table
local function read(item)
  local bufnr = item.bufnr
  if not api.nvim_buf_is_loaded(bufnr) then
    require("botglue.editor.load").file(api.nvim_buf_get_name(bufnr))
  end
  local is_loaded = api.nvim_buf_is_loaded(bufnr)
  return {
    buffer = bufnr,
    first = item.lnum,
    last = item.end_lnum,
    text = item.text,
    kind = item.type,
    row = is_loaded and api.nvim_buf_get_lines(bufnr, item.lnum - 1, item.lnum, false)[1] or "",
    count = is_loaded and api.nvim_buf_line_count(bufnr) or 0,
  }
end

---@class botglue.EachOptions
---@field prompt string
---@field range { [1]: integer, [2]: integer }? the rows that the command was given
---@field review boolean? hold every answer
---@field agent string?
---@field model string?
---@field ask boolean whether the user can be asked to confirm many jobs

--- Starts the jobs.
---@param opts botglue.EachOptions
function M.start(opts)
  local all, window = list()
  local items = {}
  for row, item in ipairs(all) do
    items[#items + 1] = is_meant(item, row, window, opts.range) and read(item) or nil
  end
  local about = { prompt = opts.prompt, list = window or "quickfix", count = #all, items = items }
  about.has_range = opts.range ~= nil
  local reply = ask.open("each", about, { keeps_keys = true })
  if reply.warning then
    require("botglue.host.notify").warn(reply.warning)
  end
  local question = opts.ask and reply.question
  if question and vim.fn.confirm(question, "&Start\n&Cancel", 2) ~= 1 then
    return
  end
  local run, options, ids = require("botglue.jobs.run"), require("botglue.host.client").options(), {}
  for i, group in ipairs(reply.groups) do
    local request = {
      prompt = opts.prompt,
      review = opts.review,
      agent = opts.agent,
      model = opts.model,
      notes = group.notes,
    }
    ids[i] = run.begin(selection.lines(group.buffer, group.first, group.last), request, options)
  end
  require("botglue.jobs.results").open(opts.prompt, ids)
end

return M
