--- The only call by which the host changes a buffer. It checks the moment, the tick and the rows, and writes, in one
--- synchronous call, so no key is processed in between. The host decides what is written, and by which changes; this
--- module never merges or searches text.
---
--- A row is a byte string as in Neovim's API: it may contain NUL and never a newline. A buffer always has at least
--- one row. A call and its reply are `WriteCall` and `WriteReply` of src/mirror/write.rs.

local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local moment = require("botglue.editor.moment")
local change = require("botglue.editor.change")
local undo_step = require("botglue.editor.undo_step")

local M = {}

local api = vim.api

local REFUSALS = { not_now = true, gone = true, stale = true } -- reply states that apply to the whole call

--- Whether the rows of an edit, and the rows beside them, are byte for byte those of the host's document.
---@param buffer integer
---@param edit table
---@return boolean
local function is_current(buffer, edit)
  local expected = vim.list_extend({ edit.above }, edit.old)
  expected[#expected + 1] = edit.below
  local from, past = math.max(edit.first - 1, 0), edit.first + #edit.old + 1
  return (edit.above == nil) == (edit.first == 0)
    and vim.deep_equal(expected, api.nvim_buf_get_lines(buffer, from, past, false))
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

--- Writes the edits of a step from the last to the first, so that an edit does not move the rows of the next one.
---@param buffer integer
---@param edits table[]
local function write_edits(buffer, edits)
  local tick = api.nvim_buf_get_changedtick(buffer)
  local ok, err = pcall(function()
    for i = #edits, 1, -1 do
      local behind = edits[i].behind
      local stay = behind and change.behind(buffer, behind[1], behind[2])
      for _, made in ipairs(edits[i].changes) do
        change[made[1]](buffer, unpack(made, 2))
      end
      if stay then
        stay(behind[3], behind[4])
      end
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
---@param step table
---@return table result
local function write_step(buffer, step)
  if not vim.bo[buffer].modifiable then
    return { state = "not_modifiable" }
  end
  for _, edit in ipairs(step.edits) do
    if not is_current(buffer, edit) then
      return { state = "differs" }
    end
  end
  local from = api.nvim_buf_get_changedtick(buffer)
  if #step.edits > 0 then
    local ok, err = pcall(undo_step.as_one_step, buffer, step.edits[1].first, function()
      write_edits(buffer, step.edits)
    end)
    if not ok then
      local is_locked = tostring(err):find("E565", 1, true)
      return is_locked and { state = "not_now" } or { state = "error", message = tostring(err) }
    end
  end
  local to, written = api.nvim_buf_get_changedtick(buffer), connection.written
  local result = { state = "written", landing = step.landing, from = from, to = to }
  written[step.job] = vim.tbl_extend("error", written[step.job] or {}, { [step.attempt] = result })
  local job = connection.jobs[step.job]
  if job then
    -- Marked now, because the next step makes the place wrong. Guarded: an error here does not undo the step.
    errors.guard(job.range.mark, job.range, step.place, step.place.kind)
  end
  return result
end

--- Returns why the whole call is refused; nil if the buffer may be written and has the expected changedtick.
---@param buffer integer
---@param tick integer
---@return table? reply
local function refusal(buffer, tick)
  if not api.nvim_buf_is_loaded(buffer) then
    return { state = "gone" }
  elseif not moment.is_safe(buffer) then
    return { state = "not_now" }
  end
  local now = api.nvim_buf_get_changedtick(buffer)
  return now ~= tick and { state = "stale", tick = now } or nil
end

---@param call table
---@param results table[]
---@return table reply
local function done(call, results)
  local is_loaded = api.nvim_buf_is_loaded(call.buffer)
  local tick = is_loaded and api.nvim_buf_get_changedtick(call.buffer) or call.tick
  return { state = "done", tick = tick, steps = results }
end

--- Writes the steps of a call, each as one undo step, and stops at the first step that cannot be written.
---
--- A step that an earlier call wrote is not written again; its first result is returned. The steps after it are
--- written only if the changedtick is still the one after that step; else the call ends there with state `done`. A
--- refusal (`not_now`, `gone`, `stale`) is returned only if no step of the call was written.
---@param call table
---@return table reply
function M.write(call)
  local buffer, tick, results = call.buffer, call.tick, {}
  for _, step in ipairs(call.steps) do
    local result = (connection.written[step.job] or {})[step.attempt]
      or refusal(buffer, tick)
      or write_step(buffer, step)
    if REFUSALS[result.state] then
      if result.state == "not_now" then
        moment.tell_when_safe(buffer)
      end
      return #results == 0 and result or done(call, results)
    end
    results[#results + 1] = result
    if result.state ~= "written" then
      break
    end
    tick = result.to
  end
  return done(call, results)
end

--- For each job the landing of its last step that the host has not confirmed as stored. A step that took only some
--- hunks of a held answer counts as none.
---@return table<integer, { id: integer, landing: string }>
function M.landings()
  local landings = {}
  for job, steps in pairs(connection.written) do
    for _, step in vim.spairs(steps) do
      landings[job] = step.landing ~= "taken" and { id = job, landing = step.landing } or landings[job]
    end
  end
  return landings
end

--- The host has stored a step; without an attempt, all steps of the job.
---@param step { job: integer, attempt: integer? }
function M.stored(step)
  local written = step.attempt and connection.written[step.job]
  if written then
    written[step.attempt] = nil
  else
    connection.written[step.job] = nil
  end
end

--- Inserts rows as one undo step, on a direct request of the user.
---@param buffer integer
---@param row integer the row above which they go
---@param lines string[]
function M.put(buffer, row, lines)
  undo_step.as_one_step(buffer, row, function()
    change.insert(buffer, row, lines)
  end)
end

return M
