--- What only Neovim knows, for the host: which buffers to mirror and what no event says of them, what goes along with a
--- selection, and where the user is. The host attaches to the buffers itself; nothing here follows their text.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local text = require("botglue.util.text")

local M = {}

local api = vim.api

local LONGEST = 120 -- cells of a proposal
local NAMED = 3 -- diagnostics
---@type table<integer?, string>
local SEVERITY = { "error", "warning", "info", "hint" }

--- The file of a buffer, absolute and without links; "" where it has none on this machine.
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
    -- Below zero Neovim is exiting: it has closed the buffer's windows and no longer counts changes.
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

--- A buffer is entered, named, read, written or unloaded: what Neovim's text events do not say. In one that reads the
--- file of jobs that go on, or are held, the host finds their ranges.
---@param event { buf: integer, event: string }
local function buffer_changed(event)
  -- That of an option names no buffer: it is set in the current one.
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
    -- After a partial write, or a write to another file, the buffer is still modified: its file has another text.
    written = is_written and not vim.bo[bufnr].modified or nil,
    rows = event.event == "BufUnload" and 0 or nil,
  })
end

--- Forgets a buffer that was wiped. The event also fires when an unnamed one is first written, which stays valid.
---@param event { buf: integer }
local function buffer_wiped(event)
  vim.schedule(function()
    if not api.nvim_buf_is_valid(event.buf) then
      connection.mirrored[event.buf] = nil
      client.tell("wiped", { buffer = event.buf })
    end
  end)
end

--- Reports what happens to buffers. The autocommands are global, because the first `:write` of an
--- unnamed buffer removes its buffer-local ones.
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

--- From now on the host mirrors a buffer, if it is loaded, and follows the range of a job in it.
---@param bufnr integer
---@param job botglue.Job? none while its prompt is typed
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
  -- What has started it, as `:checkhealth`, needed none of this.
  begin()
end

--- Whole lines around the rows `first` to `past`, as many on either side as the limits of the options allow.
---@param bufnr integer
---@param first integer the first row that is left out, from 0
---@param past integer the row behind the last one that is left out
---@param limits { lines: integer, bytes: integer }
---@return string[] before nearest last
---@return string[] after nearest first
function M.around(bufnr, first, past, limits)
  local rows = api.nvim_buf_line_count(bufnr)
  local function bytes_above(row)
    return api.nvim_buf_get_offset(bufnr, math.min(math.max(row, 0), rows))
  end
  -- Each line has a byte at least.
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
---@param has_end boolean? one that ends before the first column of a row touches that row
---@return { line: integer, last: integer, severity: string, message: string, source: string }[]
function M.diagnostics(bufnr, first, last, has_end)
  local found = {}
  -- Where the module is not loaded there are none, and loading it takes longer than all the rest.
  for _, diagnostic in ipairs(package.loaded["vim.diagnostic"] and vim.diagnostic.get(bufnr) or {}) do
    local from, to = diagnostic.lnum + 1, (diagnostic.end_lnum or diagnostic.lnum) + 1
    to = not has_end and diagnostic.end_col == 0 and math.max(to - 1, from) or to
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

--- A prompt to propose for lines that have diagnostics.
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
  elseif #words > NAMED then
    return ("fix these %d diagnostics"):format(#words)
  end
  return text.fit("fix: " .. table.concat(words, "; "), LONGEST, "…")
end

--- The lines of the diagnostics that touch one.
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

--- The user's buffers, the one that was used last first: how a prompt in a project names those that are loaded, and the
--- paths of its files. A name is the path in the project, another path, what Neovim calls it, or its number.
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

--- The loaded buffers that a prompt may name, each with its text from the first line on: at least what goes along.
---@param root string
---@param prompt string
---@param most integer bytes
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

--- The entries of the quickfix list, one a line.
---@return string[]
function M.quickfix()
  return vim.tbl_map(function(item)
    local at = item.bufnr > 0 and ("%s:%d: "):format(vim.fn.bufname(item.bufnr), item.lnum) or ""
    return text.clean(at .. item.text)
  end, vim.fn.getqflist())
end

---@class botglue.Whereabouts where the user is, as far as it tells whether they have gone on
---@field win integer
---@field cursor integer[]
---@field tick integer

--- Where the user is: whoever has asked for a window and gets it a moment later may be somewhere else by then, and
--- their keys are meant for that.
---@return botglue.Whereabouts
function M.whereabouts()
  return {
    win = api.nvim_get_current_win(),
    cursor = api.nvim_win_get_cursor(0),
    tick = api.nvim_buf_get_changedtick(0),
  }
end

--- Whether a window may be opened, and it would not be in the way of what is being typed. The command-line window takes
--- no other window.
---@return boolean
function M.is_idle()
  local is_free = vim.fn.state():find("[^sx]") == nil and vim.fn.getcmdwintype() == ""
  return is_free and api.nvim_get_mode().mode:find("^nt?$") ~= nil
end

return M
