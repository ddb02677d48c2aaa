--- The only call by which the host changes a buffer. It checks the moment, the tick and the rows, and writes, in one
--- synchronous call, so no key is processed in between. The host decides what is written; this module never merges or
--- searches text.
---
--- Edits of an empty buffer: Neovim keeps one empty row. An edit with `first = 0, last = 1, old = { "" }` replaces it;
--- with `last = 0` the edit inserts rows above it, and the empty row stays. An edit that deletes all rows of a buffer
--- leaves the empty row, as `lines = { "" }` does.
---
--- A row is a byte string as in Neovim's API: it may contain NUL and never a newline.

local connection = require("botglue.host.connection")
local moment = require("botglue.editor.moment")
local change = require("botglue.editor.change")
local rows = require("botglue.editor.rows")
local undo_step = require("botglue.editor.undo_step")

local M = {}

local api = vim.api

local REFUSALS = { not_now = true, gone = true, stale = true } -- reply states that apply to the whole call

---@class botglue.WriteCall
---@field buffer integer
---@field tick integer the changedtick that the steps were made for
---@field steps botglue.WriteStep[] written in their order: the row numbers of each count after the earlier ones

---@class botglue.WriteStep written once, as one undo step; job and attempt identify it
---@field job integer
---@field attempt integer
---@field edits botglue.RowEdit[] ascending, not overlapping
---@field landing "applied"|"merged"|"reverted"|"taken" the result of the step; taken: some hunks of a held answer
---@field place botglue.DisplayMark the range after the step

---@class botglue.RowEdit
---@field first integer row from 0
---@field last integer exclusive; equal to `first` for an insertion
---@field old string[] the expected text of these rows
---@field above string? the row above; nil at the top of the buffer
---@field below string? the row below; nil at the end of the buffer
---@field lines string[] the new rows
---@field head integer? of a part or a block: the number of unchanged bytes before it in the first row
---@field tail integer? of a part or a block: the number of unchanged bytes after it in the last row
---@field column integer? of a row of a block: one that ends before this screen column is filled up with spaces

---@class botglue.WriteReply
---@field state "not_now"|"gone"|"stale"|"done"
---@field tick integer? the current changedtick
---@field steps botglue.StepResult[]? in order; fewer than steps where one of them was not written or not tried

---@class botglue.StepResult
---@field state "written"|"not_modifiable"|"differs"|"error"
---@field from integer? the tick before it was written
---@field to integer? the tick after that
---@field message string?

---@class botglue.WrittenStep
---@field job integer
---@field attempt integer
---@field landing string
---@field from integer
---@field to integer

---@param step { job: integer, attempt: integer }
---@return botglue.WrittenStep? written
local function find_written(step)
  for _, written in ipairs(connection.written) do
    if written.job == step.job and written.attempt == step.attempt then
      return written
    end
  end
end

--- Whether the rows of an edit, and those beside them, read what the host has: the one comparison of text in Lua.
---@param buffer integer
---@param edit botglue.RowEdit
---@return boolean
local function is_current(buffer, edit)
  if edit.first + #edit.old ~= edit.last or (edit.above == nil) ~= (edit.first == 0) then
    return false
  end
  local expected = vim.list_extend({ edit.above }, edit.old)
  expected[#expected + 1] = edit.below
  local from = math.max(edit.first - 1, 0)
  return vim.deep_equal(expected, api.nvim_buf_get_lines(buffer, from, edit.last + 1, false))
end

--- Checks all edits of a step before the first one is written; returns why the step cannot be written.
---@param buffer integer
---@param edits botglue.RowEdit[]
---@return botglue.StepResult?
local function obstacle(buffer, edits)
  local previous_last = 0
  for _, edit in ipairs(edits) do
    if edit.first < previous_last then
      return { state = "error", message = "edits are not ascending" }
    elseif not is_current(buffer, edit) then
      return { state = "differs" }
    end
    previous_last = edit.last
    for _, line in ipairs(edit.lines) do
      if line:find("\n", 1, true) then
        return { state = "error", message = "a row has a newline in it" }
      end
    end
  end
end

--- The new rows of an edit. A row that ends before the block's column is padded with spaces up to it.
---@param buffer integer
---@param edit botglue.RowEdit
---@return string[]
local function lines_of(buffer, edit)
  local column, old, new = edit.column, edit.old[1], edit.lines[1]
  if not column then
    return edit.lines
  end
  return { rows.filled(buffer, old, new, column) }
end

--- Whether an edit changes anything.
---@param buffer integer
---@param edit botglue.RowEdit
---@return boolean
local function is_change(buffer, edit)
  local deletes_empty_row = #edit.lines == 0 and edit.first < edit.last and change.is_empty(buffer)
  return not deletes_empty_row and not vim.deep_equal(edit.old, edit.lines)
end

--- Undoes a partly written step and removes it from the undo history.
---@param buffer integer
local function roll_back(buffer)
  local bo = vim.bo[buffer]
  local modifiable = bo.modifiable
  bo.modifiable = true
  api.nvim_buf_call(buffer, function()
    local view = vim.fn.winsaveview()
    vim.cmd("silent keepjumps undo!")
    vim.fn.winrestview(view)
  end)
  bo.modifiable = modifiable
end

--- Writes an edit. A cursor directly after a replaced part moves to the end of the new text.
---@param buffer integer
---@param edit botglue.RowEdit
local function put_edit(buffer, edit)
  local lines, tail = lines_of(buffer, edit), edit.tail
  local is_replaced = tail and #edit.old > 0 and #lines > 0
  local move_cursor = is_replaced
    and change.behind(buffer, edit.first, edit.head or 0, edit.last - 1, #edit.old[#edit.old] - tail)
  rows.replace(buffer, edit.first, edit.last, lines)
  if move_cursor then
    move_cursor(edit.first + #lines - 1, #lines[#lines] - tail)
  end
end

--- Writes the edits of a step, from the last to the first, so that an edit does not move the rows of those before it.
---@param buffer integer
---@param edits botglue.RowEdit[]
local function write_edits(buffer, edits)
  local tick = api.nvim_buf_get_changedtick(buffer)
  local ok, err = pcall(function()
    for i = #edits, 1, -1 do
      put_edit(buffer, edits[i])
    end
  end)
  if not ok then
    if api.nvim_buf_get_changedtick(buffer) ~= tick then
      roll_back(buffer)
    end
    error(err, 0)
  end
end

--- Writes a step, or returns why it cannot.
---@param buffer integer
---@param step botglue.WriteStep
---@return botglue.StepResult|{ state: "not_now" }
local function write_step(buffer, step)
  local edits = step.edits
  local failure = not vim.bo[buffer].modifiable and { state = "not_modifiable" } or obstacle(buffer, edits)
  if failure then
    return failure
  end
  local from = api.nvim_buf_get_changedtick(buffer)
  local changes = vim.tbl_filter(function(edit)
    return is_change(buffer, edit)
  end, edits)
  if #changes > 0 then
    local ok, err = pcall(undo_step.as_one_step, buffer, changes[1].first, function()
      write_edits(buffer, changes)
    end)
    if not ok then
      local is_locked = tostring(err):find("E565", 1, true)
      return is_locked and { state = "not_now" } or { state = "error", message = tostring(err) }
    end
  end
  local to = api.nvim_buf_get_changedtick(buffer)
  local written = { job = step.job, attempt = step.attempt, landing = step.landing, from = from, to = to }
  table.insert(connection.written, written)
  return { state = "written", from = from, to = to }
end

--- Notifies the host as soon as a buffer may be written.
---@param buffer integer
local function notify_when_safe(buffer)
  local stop
  stop = moment.watch(buffer, function()
    if not moment.is_safe(buffer) then
      return
    end
    stop()
    local process = connection.process
    if process then
      process:notify("moment", { buffer = buffer })
    end
  end)
end

--- Returns why the whole call is refused; nil if the buffer may be written and has the expected changedtick.
---@param buffer integer
---@param tick integer
---@return botglue.WriteReply?
local function refusal(buffer, tick)
  if not api.nvim_buf_is_loaded(buffer) then
    return { state = "gone" }
  elseif not moment.is_safe(buffer) then
    return { state = "not_now" }
  end
  local now = api.nvim_buf_get_changedtick(buffer)
  return now ~= tick and { state = "stale", tick = now } or nil
end

---@param call botglue.WriteCall
---@param results botglue.StepResult[]
---@return botglue.WriteReply
local function done(call, results)
  local is_loaded = api.nvim_buf_is_loaded(call.buffer)
  local tick = is_loaded and api.nvim_buf_get_changedtick(call.buffer) or call.tick
  return { state = "done", tick = tick, steps = results }
end

--- Writes the steps of a call, each as one undo step, and stops at the first step that cannot be written.
---
--- A step that an earlier call wrote is not written again; its first result is returned. The steps after it are written
--- only if the changedtick is still the one after that step; else the call ends there with state `done`. A refusal
--- (`not_now`, `gone`, `stale`) is returned only if no step of the call was written.
---@param call botglue.WriteCall
---@param around fun(step: botglue.WriteStep, write: fun(): botglue.StepResult): botglue.StepResult calls `write` once:
--- the step's place is true right after it, and no longer after the next step
---@return botglue.WriteReply
function M.write(call, around)
  local buffer, tick, results, is_checked = call.buffer, call.tick, {}, false
  for _, step in ipairs(call.steps) do
    local result
    local written = find_written(step)
    if written then
      tick = written.to
      result = { state = "written", from = written.from, to = written.to }
    else
      result = not is_checked and refusal(buffer, tick)
        or around(step, function()
          return write_step(buffer, step)
        end)
      is_checked = true
    end
    if REFUSALS[result.state] then
      if result.state == "not_now" then
        notify_when_safe(buffer)
      end
      return #results == 0 and result or done(call, results)
    end
    results[#results + 1] = result
    if result.state ~= "written" then
      break
    end
  end
  return done(call, results)
end

--- The landing of a job's last written step that the host has not confirmed as stored. A step that took only some hunks
--- of a held answer has no landing.
---@param id integer
---@return string? landing
function M.landing(id)
  local landing
  for _, written in ipairs(connection.written) do
    local is_landing = written.job == id and written.landing ~= "taken"
    landing = is_landing and written.landing or landing
  end
  return landing
end

--- The landings of all jobs with steps that the host has not confirmed as stored.
---@return { id: integer, landing: string }[]
function M.landings()
  local landings, seen = {}, {}
  for _, written in ipairs(connection.written) do
    local landing = not seen[written.job] and M.landing(written.job)
    seen[written.job] = true
    landings[#landings + 1] = landing and { id = written.job, landing = landing } or nil
  end
  return landings
end

--- The host has stored these steps; a step without an attempt stands for all steps of its job.
---@param steps { job: integer, attempt: integer? }[]
function M.stored(steps)
  for _, step in ipairs(steps) do
    connection.written = vim.tbl_filter(function(written)
      return written.job ~= step.job or step.attempt ~= nil and written.attempt ~= step.attempt
    end, connection.written)
  end
end

--- Replaces rows as one undo step, on a direct request of the user.
---@param buffer integer
---@param first integer row from 0
---@param last integer exclusive
---@param lines string[]
function M.put(buffer, first, last, lines)
  local is_first = first == last and #lines > 0 and change.is_empty(buffer)
  undo_step.as_one_step(buffer, first, function()
    rows.replace(buffer, is_first and 0 or first, is_first and 1 or last, lines)
  end)
end

return M
