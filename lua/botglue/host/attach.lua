--- Tells the host which buffers to mirror, and reports buffer state that no event contains. The host attaches to the
--- buffers itself; this module does not track their text.

local connection = require("botglue.host.connection")

local M = {}

local api = vim.api

--- Whether answers can be written to a buffer. A terminal or a prompt buffer changes by itself.
---@param bufnr integer
---@return boolean
local function has_text(bufnr)
  local kind = vim.bo[bufnr].buftype
  return vim.bo[bufnr].modifiable and kind ~= "terminal" and kind ~= "prompt"
end

---@class botglue.DisplayMark: botglue.Extent
---@field id integer of the job
---@field kind "line"|"char"|"block"|"insert"|nil nil if the job has no mark: the host searches the sent rows
---@field has_ended boolean whether the job has ended, and its answer is not held
---@field sent table? the sent or landed rows, as a request has them; set if the host does not have the request
---@field stands { first_line: integer, rows: string[], base: string[]? }? its rows when its file was last written
---@field before string[]? the whole rows before the answer landed
---@field text { above: string?, rows: string[], below: string? }? the text at the mark

--- Returns what a host has to know of the range of a job whose request it does not have.
---@param job botglue.Job
---@return table
function M.sent(job)
  return { id = job.id, buffer = job.range.bufnr, selection = job.range:selection() }
end

--- Returns the display mark of a job.
---@param job botglue.Job
---@param with_text boolean? whether to include the text at the mark
---@return botglue.DisplayMark? mark nil if the range is lost or its mark is gone
local function mark(job, with_text)
  local range = job.range
  local place = range:place()
  if not place and (range.lost or range.marks) then
    return nil
  end
  local result = vim.deepcopy(place or {}) --[[@as botglue.DisplayMark]]
  result.id = job.id
  result.kind = place and range.shape or nil
  result.stands = range.on_disk
  result.has_ended = not connection.open[job.id] and not connection.held[job.id]
  if job.process ~= connection.process or range.has_moved then
    result.sent = M.sent(job)
    result.before = range.before and range.before.rows
  end
  if place and with_text then
    local text = range:read(place)
    result.text = { above = text.above, rows = text.rows, below = text.below }
  end
  return result
end

--- Returns the display mark of an open prompt.
---@param id integer
---@param range botglue.Range
---@return botglue.DisplayMark?
local function prompt_mark(id, range)
  local place = range:place()
  local fields = { id = id, kind = range.shape, has_ended = false }
  return place and vim.tbl_extend("force", place, fields)
end

--- The jobs whose ranges may be in a buffer, oldest first.
---@param bufnr integer
---@return botglue.Job[]
local function jobs_in(bufnr)
  local found = vim.tbl_filter(function(job)
    return job.range.bufnr == bufnr and not job.range.is_forgotten
  end, vim.tbl_values(connection.jobs))
  table.sort(found, function(a, b)
    return a.id < b.id
  end)
  return found
end

--- Sends the current state of a buffer. The host receives it in order with the buffer's text events.
---@param bufnr integer
---@param fields table
local function send_state(bufnr, fields)
  local process = connection.process
  if not process then
    return
  end
  local rows, tick = api.nvim_buf_line_count(bufnr), api.nvim_buf_get_changedtick(bufnr)
  if tick < 0 then
    -- Neovim is exiting: it has closed the buffer's windows and no longer counts changes.
    return
  end
  process:notify(
    "buffer",
    vim.tbl_extend("force", {
      buffer = bufnr,
      name = api.nvim_buf_get_name(bufnr),
      tick = tick,
      rows = rows,
      bytes = math.max(api.nvim_buf_get_offset(bufnr, rows), 0),
      refuses = not has_text(bufnr) or nil,
    }, fields)
  )
end

--- Sends the state of a buffer and the marks of its jobs, after the host has attached to it.
---@param bufnr integer
---@param with_text boolean? whether to include the text at the marks
function M.report(bufnr, with_text)
  local marks = {}
  for _, job in ipairs(jobs_in(bufnr)) do
    marks[#marks + 1] = mark(job, with_text)
  end
  for id, range in pairs(connection.asked) do
    marks[#marks + 1] = range.bufnr == bufnr and prompt_mark(id, range) or nil
  end
  send_state(bufnr, { marks = marks })
end

--- Updates the path of a buffer's jobs after the buffer was renamed.
---@param bufnr integer
local function rename(bufnr)
  local path = require("botglue.util.buffer_path")(bufnr)
  for _, job in pairs(path ~= "" and connection.jobs or {}) do
    if job.range.bufnr == bufnr then
      job.path = path
    end
  end
end

--- Reports changes of a buffer that Neovim's text events do not include. The autocommands are global, because the
--- first `:write` of an unnamed buffer removes its buffer-local ones.
---@param bufnr integer
local function watch(bufnr)
  local mirrored = connection.mirrored
  local is_watching = next(mirrored) ~= nil
  mirrored[bufnr] = true
  if is_watching then
    return
  end
  local group = api.nvim_create_augroup("botglue.attach", { clear = true })
  api.nvim_create_autocmd({ "BufReadPost", "BufEnter", "BufFilePost", "BufWritePost", "BufUnload" }, {
    group = group,
    desc = "botglue: the host mirrors the text",
    callback = function(event)
      if not mirrored[event.buf] then
        return
      end
      rename(event.buf)
      local is_written = event.event == "BufWritePost" or event.event == "BufUnload"
      -- After a partial write, or a write to another file, the buffer is still modified: its file has another text.
      local fields = { written = is_written and not vim.bo[event.buf].modified or nil }
      if event.event == "BufUnload" then
        fields.rows = 0
      end
      send_state(event.buf, fields)
    end,
  })
  api.nvim_create_autocmd("OptionSet", {
    group = group,
    pattern = { "modifiable", "buftype" },
    desc = "botglue: the host knows whether a buffer takes changes",
    callback = function()
      -- Its event names no buffer; the option is set in the current one.
      local current = api.nvim_get_current_buf()
      if mirrored[current] then
        send_state(current, {})
      end
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    desc = "botglue: the host mirrors the text",
    callback = function(event)
      -- The event also fires when an unnamed buffer is first written; that buffer stays valid.
      vim.schedule(function()
        mirrored[event.buf] = api.nvim_buf_is_valid(event.buf) or nil
        local process = connection.process
        if process and not mirrored[event.buf] then
          process:notify("wiped", { buffer = event.buf })
        end
      end)
    end,
  })
end

--- From now on the host mirrors a buffer, and follows the range of a job in it.
---@param bufnr integer
---@param job botglue.Job? none while its prompt is typed
function M.want(bufnr, job)
  if api.nvim_buf_is_loaded(bufnr) then
    watch(bufnr)
    send_state(bufnr, { marks = job and { mark(job) } or nil })
  end
end

local FIRST_PROMPT_ID = 2 ^ 40 -- larger than any job id

--- Asks the host to track the range of a prompt while the prompt is typed.
---@param range botglue.Range
---@return fun() stop call it once the prompt is closed
function M.follow_prompt(range)
  -- No other prompt has had it: what the host still says of an earlier one is not for this one.
  local id = FIRST_PROMPT_ID + math.floor(vim.uv.hrtime() / 1000)
  connection.asked[id] = range
  if api.nvim_buf_is_loaded(range.bufnr) then
    watch(range.bufnr)
    send_state(range.bufnr, { marks = { prompt_mark(id, range) } })
  end
  return function()
    connection.asked[id] = nil
    if api.nvim_buf_is_loaded(range.bufnr) then
      send_state(range.bufnr, { marks = { { id = id, has_ended = true } } })
    end
  end
end

--- A new host has started: asks it to mirror the same buffers.
function M.mirror_all()
  for bufnr in pairs(connection.mirrored) do
    if api.nvim_buf_is_loaded(bufnr) then
      send_state(bufnr, {})
    end
  end
end

return M
