--- Captures for the host what only Neovim knows: which buffers to mirror, their state besides the text, the context
--- of a selection, and where the user is. The host attaches to the buffers itself; nothing here follows their text.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local text = require("botglue.util.text")

local M = {}

local api = vim.api

local MAX_SUGGESTION = 120 -- cells of a suggested prompt
local MAX_QUOTED = 3 -- diagnostics whose messages a suggested prompt quotes
---@type table<integer?, string>
local SEVERITY = { "error", "warning", "info", "hint" }

--- The path of a buffer's file, absolute and with links resolved; "" if it has no file on this machine.
---@param bufnr integer
---@return string
function M.path(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  local is_file = name ~= "" and not name:match("^%a[%w+.-]+://")
  return is_file and vim.fn.resolve(vim.fn.fnamemodify(name, ":p")) or ""
end

---@class botglue.DisplayMark: botglue.Extent
---@field id integer of the job
---@field kind "line"|"char"|"block"|"insert"|nil nil if the job has no mark: the host searches the sent rows
---@field has_ended boolean whether the job has ended, and its answer is not held

--- Returns the display mark of a job.
---@param job botglue.Job
---@return botglue.DisplayMark? mark nil if the range is lost or its mark is gone
local function mark(job)
  local range, place = job.range, job.range:place()
  if not place and (range.lost or range.marks) then
    return nil
  end
  return vim.tbl_extend("force", place or {}, {
    id = job.id,
    kind = place and range.shape or nil,
    has_ended = not job:is_open() and not job:is_held(),
  })
end

--- Sends the current state of a buffer. The host receives it in order with the buffer's text events.
---@param bufnr integer
---@param fields table
local function send_state(bufnr, fields)
  local rows, tick, path = api.nvim_buf_line_count(bufnr), api.nvim_buf_get_changedtick(bufnr), M.path(bufnr)
  if tick < 0 then
    -- A tick below zero: Neovim is exiting, has closed the buffer's windows and no longer counts changes.
    return
  end
  -- A terminal or a prompt buffer changes by itself: answers cannot be written to it.
  local bo = vim.bo[bufnr]
  local refuses = not bo.modifiable or bo.buftype == "terminal" or bo.buftype == "prompt"
  local state = {
    buffer = bufnr,
    name = path ~= "" and path or api.nvim_buf_get_name(bufnr),
    tick = tick,
    rows = rows,
    bytes = math.max(api.nvim_buf_get_offset(bufnr, rows), 0),
    refuses = refuses or nil,
  }
  client.tell("buffer", vim.tbl_extend("force", state, fields))
end

--- Sends the state of a buffer and the marks of its jobs, oldest first, after the host has attached to it.
---@param bufnr integer
function M.report(bufnr)
  local marks = {}
  for _, job in vim.spairs(connection.jobs) do
    marks[#marks + 1] = job.range.bufnr == bufnr and mark(job) or nil
  end
  send_state(bufnr, { marks = marks })
end

--- Reports that a buffer was entered, named, read, written or unloaded, which Neovim's text events do not. When a
--- buffer reads the file of open or held jobs, their ranges move to it, and the host searches for their places.
---@param event { buf: integer, event: string }
local function buffer_changed(event)
  -- `OptionSet` names no buffer: the option was set in the current one.
  local bufnr = event.buf > 0 and event.buf or api.nvim_get_current_buf()
  local path = M.path(bufnr)
  for _, job in pairs(connection.jobs) do
    local range, is_waiting = job.range, event.event == "BufReadPost" and (job:is_open() or job:is_held())
    local is_its_file = path ~= "" and job.path == path and not api.nvim_buf_is_loaded(range.bufnr)
    if is_waiting and is_its_file then
      range:move_to(bufnr)
    end
    if range.bufnr == bufnr then
      job.path = path ~= "" and path or job.path
      if is_waiting and not range.marks then
        M.want(bufnr, job)
      end
    end
  end
  if not connection.mirrored[bufnr] then
    return
  end
  local is_written = event.event == "BufWritePost" or event.event == "BufUnload"
  send_state(bufnr, {
    -- After a partial write, or a write to another file, the buffer is still modified: its file has different text.
    written = is_written and not vim.bo[bufnr].modified or nil,
    rows = event.event == "BufUnload" and 0 or nil,
  })
end

--- Forgets a wiped buffer. The event also fires when an unnamed buffer is first written; that buffer stays valid.
---@param event { buf: integer }
local function buffer_wiped(event)
  vim.schedule(function()
    if not api.nvim_buf_is_valid(event.buf) then
      connection.mirrored[event.buf] = nil
      client.tell("wiped", { buffer = event.buf })
    end
  end)
end

--- Watches buffers. The autocommands are global, because the first `:write` of an unnamed buffer removes its
--- buffer-local ones.
local function watch()
  require("botglue.editor.moment").follow()
  local group = api.nvim_create_augroup("botglue.attach", { clear = true })
  local function on(events, callback, pattern)
    local desc = "botglue: the host mirrors the text"
    api.nvim_create_autocmd(events, { group = group, pattern = pattern, desc = desc, callback = callback })
  end
  on({ "BufReadPost", "BufEnter", "BufFilePost", "BufWritePost", "BufUnload" }, buffer_changed)
  on("BufWipeout", buffer_wiped)
  on("OptionSet", buffer_changed, { "modifiable", "buftype" })
end

--- Has the host mirror a buffer from now on, if it is loaded, and follow the range of a job in it.
---@param bufnr integer
---@param job botglue.Job? nil while its prompt is typed
function M.want(bufnr, job)
  if api.nvim_buf_is_loaded(bufnr) then
    connection.mirrored[bufnr] = true
    send_state(bufnr, { marks = job and { mark(job) } })
  end
end

local function begin()
  watch()
  for bufnr in pairs(connection.mirrored) do
    M.want(bufnr)
  end
end
table.insert(connection.hooks.started, begin)
if connection.process then
  -- The host was started before this module was loaded, for example by `:checkhealth`.
  begin()
end

--- The lines around the rows from `first` to `past`, whole, and as many on each side as the options' limits allow.
---@param bufnr integer
---@param first integer the first row that is left out, from 0
---@param past integer the row after the last one that is left out
---@param limits { lines: integer, bytes: integer }
---@return string[] before nearest last
---@return string[] after nearest first
function M.around(bufnr, first, past, limits)
  local rows = api.nvim_buf_line_count(bufnr)
  local function bytes_above(row)
    return api.nvim_buf_get_offset(bufnr, math.min(math.max(row, 0), rows))
  end
  -- A line has at least one byte, its line end: the limit of bytes limits the lines as well.
  local count, own = math.min(limits.lines, limits.bytes), bytes_above(past) - bytes_above(first)
  while count > 0 and bytes_above(past + count) - bytes_above(first - count) - own > limits.bytes do
    count = count - 1
  end
  return api.nvim_buf_get_lines(bufnr, math.max(first - count, 0), first, false),
    api.nvim_buf_get_lines(bufnr, past, past + count, false)
end

--- Diagnostics that touch lines.
---@param bufnr integer
---@param first integer from 1
---@param last integer
---@param counts_end boolean? whether a diagnostic that ends before the first column of a row touches that row
---@return { line: integer, last: integer, severity: string, message: string, source: string }[]
function M.diagnostics(bufnr, first, last, counts_end)
  local found = {}
  -- If the module is not loaded there are no diagnostics, and loading it takes longer than everything else here.
  for _, diagnostic in ipairs(package.loaded["vim.diagnostic"] and vim.diagnostic.get(bufnr) or {}) do
    local from, to = diagnostic.lnum + 1, (diagnostic.end_lnum or diagnostic.lnum) + 1
    to = not counts_end and diagnostic.end_col == 0 and math.max(to - 1, from) or to
    if from <= last and to >= first then
      local severity = diagnostic.severity --[[@as integer]]
      found[#found + 1] = {
        line = from,
        last = to,
        severity = SEVERITY[severity] or "error",
        message = diagnostic.message,
        source = diagnostic.source or "",
      }
    end
  end
  return found
end

--- Suggests a prompt for lines that have diagnostics.
---@param bufnr integer
---@param first integer from 1
---@param last integer
---@return string? prompt
function M.proposal(bufnr, first, last)
  local words = {}
  for _, diagnostic in ipairs(M.diagnostics(bufnr, first, last)) do
    local message = text.clean(vim.split(diagnostic.message, "\n")[1])
    if not vim.list_contains(words, message) then
      words[#words + 1] = message
    end
  end
  if #words == 0 then
    return nil
  elseif #words > MAX_QUOTED then
    return ("fix these %d diagnostics"):format(#words)
  end
  return text.fit("fix: " .. table.concat(words, "; "), MAX_SUGGESTION, "…")
end

--- The lines from the first to the last that the diagnostics of a line cover.
---@param bufnr integer
---@param line integer from 1
---@return integer? first
---@return integer? last
function M.diagnosed(bufnr, line)
  local first, last
  for _, diagnostic in ipairs(M.diagnostics(bufnr, line, line)) do
    first, last = math.min(first or line, diagnostic.line), math.max(last or line, diagnostic.last)
  end
  return first, last and math.min(last, api.nvim_buf_line_count(bufnr))
end

--- The directory of the project that a buffer belongs to, else the working directory.
---@param bufnr integer
---@return string
function M.project(bufnr)
  local path = M.path(bufnr)
  return path ~= "" and vim.fs.root(path, ".git") or vim.fn.getcwd()
end

--- The user's listed buffers, the last used first. A loaded one has the name by which a prompt refers to it: its path
--- in the project, else its full path, its Neovim name or its number. A file of the project has its path in it, too.
---@param root string
---@return { number: integer, name: string?, path: string? }[]
function M.buffers(root)
  local buffers = vim.tbl_filter(function(buffer)
    return not vim.startswith(buffer.name, "botglue://")
  end, vim.fn.getbufinfo({ buflisted = 1 }))
  table.sort(buffers, function(a, b)
    return a.lastused > b.lastused or (a.lastused == b.lastused and a.bufnr < b.bufnr)
  end)
  return vim.tbl_map(function(buffer)
    local path, name = M.path(buffer.bufnr), buffer.name ~= "" and buffer.name or tostring(buffer.bufnr)
    local own = vim.startswith(path, root .. "/") and path:sub(#root + 2) or nil
    name = own or path ~= "" and vim.fn.fnamemodify(path, ":~") or name
    return { number = buffer.bufnr, name = buffer.loaded == 1 and name or nil, path = own }
  end, buffers)
end

--- The loaded buffers that a prompt may name, each with text from its first line on: at least what the host will use.
---@param root string
---@param prompt string
---@param most integer bytes that the host uses at most
---@return { name: string, number: integer, lines: string[], count: integer }[]
function M.texts(root, prompt, most)
  local named = vim.tbl_filter(function(buffer)
    local name = buffer.name and vim.fs.basename(buffer.name)
    return name and (prompt:find(name, 1, true) or prompt:find(tostring(buffer.number), 1, true))
  end, M.buffers(root))
  return vim.tbl_map(function(buffer)
    local bufnr, past, count = buffer.number, 0, api.nvim_buf_line_count(buffer.number)
    while past < count and api.nvim_buf_get_offset(bufnr, past) <= most do
      past = past + 1000
    end
    local lines = api.nvim_buf_get_lines(bufnr, 0, past, false)
    return { name = buffer.name, number = bufnr, lines = lines, count = count }
  end, named)
end

--- The entries of the quickfix list, each as one line.
---@return string[]
function M.quickfix()
  return vim.tbl_map(function(item)
    local at = item.bufnr > 0 and ("%s:%d: "):format(vim.fn.bufname(item.bufnr), item.lnum) or ""
    return text.clean(at .. item.text)
  end, vim.fn.getqflist())
end

---@class botglue.Whereabouts where the user is; as long as it stays equal they have neither moved nor typed
---@field win integer
---@field cursor integer[]
---@field tick integer

--- Where the user is now. If they have moved on by the time a window opens that they asked for, their keys are not
--- meant for it.
---@return botglue.Whereabouts
function M.whereabouts()
  return {
    win = api.nvim_get_current_win(),
    cursor = api.nvim_win_get_cursor(0),
    tick = api.nvim_buf_get_changedtick(0),
  }
end

--- Whether a window may open now and would not interrupt what the user types. Neovim opens none from the command-line
--- window.
---@return boolean
function M.is_idle()
  local is_free = vim.fn.state():find("[^sx]") == nil and vim.fn.getcmdwintype() == ""
  return is_free and api.nvim_get_mode().mode:find("^nt?$") ~= nil
end

return M
