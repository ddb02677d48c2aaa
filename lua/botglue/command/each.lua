--- `:Botglue each`: reads the quickfix list for the host, which decides the lines of each job, and starts the jobs.

local ask = require("botglue.host.ask")
local selection = require("botglue.editor.selection")

local api = vim.api

--- Converts an item for the host, and loads its buffer unshown. One with a pattern is at the first line that matches.
---@param item table
---@return table
local function read(item)
  local bufnr, line = item.bufnr, item.lnum
  if not api.nvim_buf_is_loaded(bufnr) then
    require("botglue.editor.load").file(api.nvim_buf_get_name(bufnr))
  end
  local is_loaded = api.nvim_buf_is_loaded(bufnr)
  if line == 0 and item.pattern ~= "" and is_loaded then
    line = vim.fn.match(api.nvim_buf_get_lines(bufnr, 0, -1, false), item.pattern) + 1
  end
  return {
    buffer = bufnr,
    first = line,
    last = item.end_lnum,
    text = item.text,
    kind = item.type,
    row = is_loaded and api.nvim_buf_get_lines(bufnr, line - 1, line, false)[1] or "",
    count = is_loaded and api.nvim_buf_line_count(bufnr) or 0,
  }
end

--- The items that are places in files, within the command's range: rows of the list in a window with a list, else
--- lines of the current buffer. The list is the location list if the current window shows it, else the quickfix list.
---@param range { [1]: integer, [2]: integer }?
---@return table about the list, for the host
local function list(range)
  local info, items = vim.fn.getwininfo(api.nvim_get_current_win())[1], {}
  local all = info.loclist == 1 and vim.fn.getloclist(0) or vim.fn.getqflist()
  local of_rows, of_buffer = range and info.quickfix == 1, range and info.quickfix == 0
  local first, last = unpack(of_buffer and range or { 1, math.huge })
  for row, item in ipairs(all) do
    local is_meant = item.valid == 1 and item.bufnr > 0
    if of_rows then
      is_meant = is_meant and range[1] <= row and row <= range[2]
    elseif of_buffer then
      is_meant = is_meant and item.bufnr == api.nvim_get_current_buf()
    end
    local found = is_meant and read(item)
    if found and found.first > 0 and found.first <= last and math.max(found.first, found.last) >= first then
      items[#items + 1] = found
    end
  end
  local name = info.loclist == 1 and "location" or "quickfix"
  return { list = name, count = #all, items = items, has_range = range ~= nil }
end

--- Starts the jobs.
---@param wanted botglue.Request of each
---@param range { [1]: integer, [2]: integer }? the command's range
---@param has_user boolean whether a user can confirm many jobs
return function(wanted, range, has_user)
  local about = vim.tbl_extend("error", list(range), { prompt = wanted.prompt })
  local reply = ask.open("each", about, { keeps_keys = true })
  if reply.warning then
    require("botglue.host.notify").warn(reply.warning)
  end
  if has_user and reply.question and vim.fn.confirm(reply.question, "&Start\n&Cancel", 2) ~= 1 then
    return
  end
  local ids = vim.tbl_map(function(group)
    local target = selection.lines(group.buffer, group.first, group.last)
    local request = vim.tbl_extend("error", wanted, { notes = group.notes })
    return require("botglue.ui.start").on(target, request)
  end, reply.groups)
  require("botglue.jobs.batch").open(wanted.prompt, ids)
end
