--- The one call by which the host changes a buffer. It looks at the moment, the tick and the rows, and writes, in one
--- synchronous call: no key comes between. The host decides what is written; nothing here merges or looks for text.
---
--- How the host words an edit where a buffer has no text: Neovim keeps one empty row. To replace it an edit has
--- `first = 0, last = 1, old = { "" }`; with `last = 0` it puts rows in above it, and it stays. An edit that leaves no
--- row of a buffer leaves the empty row, which is the same as `lines = { "" }`.
---
--- A row is bytes as Neovim's API has them: a NUL is a NUL, and there is no newline in it.

local connection = require("botglue.host.connection")
local moment = require("botglue.editor.moment")
local replace = require("botglue.editor.replace")
local rows = require("botglue.editor.rows")
local undo_step = require("botglue.editor.undo_step")

local M = {}

local api = vim.api

local REFUSALS = { not_now = true, gone = true, stale = true } -- states of a reply: they concern all steps

---@class botglue.WriteCall
---@field buffer integer
---@field tick integer the changedtick that the steps were made for
---@field steps botglue.WriteStep[] one after the other; the rows of each count after the steps before it

---@class botglue.WriteStep written once, as one undo step; job and attempt name it
---@field job integer
---@field attempt integer
---@field edits botglue.RowEdit[] ascending, none over another
---@field landing "applied"|"merged"|"reverted"|"taken" what it is once it is written; taken: some of a held answer
---@field place botglue.DisplayMark where the range is then

---@class botglue.RowEdit
---@field first integer row from 0
---@field last integer exclusive; where it is `first`, rows are put in
---@field old string[] what these rows read
---@field above string? the row above them; none at the top of the buffer
---@field below string? the row below them; none at its end
---@field lines string[] what they become
---@field head integer? of a part or a block: bytes of the first row before it, the same before and after
---@field tail integer? of a part or a block: bytes of the last row behind it, the same before and after
---@field column integer? of a row of a block: one that ends before this screen column is filled up with spaces

---@class botglue.WriteReply
---@field state "not_now"|"gone"|"stale"|"done"
---@field tick integer? as it is now
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

---@generic T
---@param value T? a nil of the wire comes as `vim.NIL`
---@return T?
local function given(value)
  if value ~= vim.NIL then
    return value
  end
end

---@param step { job: integer, attempt: integer }
---@return botglue.WrittenStep? written
---@return integer? index
local function find_written(step)
  for i, written in ipairs(connection.written) do
    if written.job == step.job and written.attempt == step.attempt then
      return written, i
    end
  end
end

--- Whether the rows of an edit, and those beside them, read what the host has: the one comparison of text in Lua.
---@param buffer integer
---@param edit botglue.RowEdit
---@return boolean
local function is_current(buffer, edit)
  local above = given(edit.above)
  if edit.first + #edit.old ~= edit.last or (above == nil) ~= (edit.first == 0) then
    return false
  end
  local expected = vim.list_extend({ above }, edit.old)
  expected[#expected + 1] = given(edit.below)
  local from = math.max(edit.first - 1, 0)
  return vim.deep_equal(expected, api.nvim_buf_get_lines(buffer, from, edit.last + 1, false))
end

--- What keeps a step from being written, if anything does; asked before the first of its edits is.
---@param buffer integer
---@param edits botglue.RowEdit[]
---@return botglue.StepResult?
local function obstacle(buffer, edits)
  local past = 0
  for _, edit in ipairs(edits) do
    if edit.first < past then
      return { state = "error", message = "edits are not ascending" }
    elseif not is_current(buffer, edit) then
      return { state = "differs" }
    end
    past = edit.last
    for _, line in ipairs(edit.lines) do
      if line:find("\n", 1, true) then
        return { state = "error", message = "a row has a newline in it" }
      end
    end
  end
end

--- What the rows of an edit become. A row of a block that ends before it has its text at its end: after spaces.
---@param buffer integer
---@param edit botglue.RowEdit
---@return string[]
local function lines_of(buffer, edit)
  local column, old, new = given(edit.column), edit.old[1], edit.lines[1]
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
  local is_nothing = #edit.lines == 0 and edit.first < edit.last and replace.is_empty(buffer)
  return not is_nothing and not vim.deep_equal(edit.old, edit.lines)
end

--- Undoes what was written of a step, and forgets it.
---@param buffer integer
local function take_back(buffer)
  local bo = vim.bo[buffer]
  local modifiable = bo.modifiable
  bo.modifiable = true
  api.nvim_buf_call(buffer, function()
    local view = vim.fn.winsaveview()
    vim.cmd("silent undo!")
    vim.fn.winrestview(view)
  end)
  bo.modifiable = modifiable
end

--- Writes an edit. Who types right behind a part goes on behind what replaces it.
---@param buffer integer
---@param edit botglue.RowEdit
local function put_edit(buffer, edit)
  local lines, tail = lines_of(buffer, edit), given(edit.tail)
  local is_replaced = tail and #edit.old > 0 and #lines > 0
  local stay = is_replaced
    and replace.behind(buffer, edit.first, given(edit.head) or 0, edit.last - 1, #edit.old[#edit.old] - tail)
  rows.replace(buffer, edit.first, edit.last, lines)
  if stay then
    stay(edit.first + #lines - 1, #lines[#lines] - tail)
  end
end

--- Writes the edits of a step, from the last to the first, so that each finds its rows where they were.
---@param buffer integer
---@param edits botglue.RowEdit[]
local function put(buffer, edits)
  local tick = api.nvim_buf_get_changedtick(buffer)
  local ok, err = pcall(function()
    for i = #edits, 1, -1 do
      put_edit(buffer, edits[i])
    end
  end)
  if not ok then
    if api.nvim_buf_get_changedtick(buffer) ~= tick then
      take_back(buffer)
    end
    error(err, 0)
  end
end

--- Writes a step, or says why it cannot.
---@param buffer integer
---@param step botglue.WriteStep
---@return botglue.StepResult|{ state: "not_now" }
local function take(buffer, step)
  local edits = step.edits
  local trouble = not vim.bo[buffer].modifiable and { state = "not_modifiable" } or obstacle(buffer, edits)
  if trouble then
    return trouble
  end
  local from = api.nvim_buf_get_changedtick(buffer)
  local changes = vim.tbl_filter(function(edit)
    return is_change(buffer, edit)
  end, edits)
  if #changes > 0 then
    local ok, err = pcall(undo_step.as_one_step, buffer, function()
      put(buffer, changes)
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
  stop = moment.watch("write." .. buffer, function()
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

--- Why a buffer cannot be written as the host knows it, if it cannot.
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

--- Writes the steps of a call, each as an undo step of its own. The first one that cannot be written ends the call.
---
--- A step that an earlier call wrote is not written again, and its result is the same. The steps after it are written
--- if the text is still as that step left it; else the call ends there, and only a call without such a step is told
--- what stands in the way.
---@param call botglue.WriteCall
---@return botglue.WriteReply
function M.write(call)
  local buffer, tick, results, is_checked = call.buffer, call.tick, {}, false
  for _, step in ipairs(call.steps) do
    local result
    local written = find_written(step)
    if written then
      tick = written.to
      result = { state = "written", from = written.from, to = written.to }
    else
      result = not is_checked and refusal(buffer, tick) or take(buffer, step)
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

--- What a job's last step came to that was written and is not known to be stored; one that has taken some of a held
--- answer has landed nothing.
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

--- What the jobs came to whose last steps are not known to be stored.
---@return { id: integer, landing: string }[]
function M.landings()
  local landings, seen = {}, {}
  for _, written in ipairs(connection.written) do
    if not seen[written.job] then
      seen[written.job] = true
      landings[#landings + 1] = { id = written.job, landing = M.landing(written.job) }
    end
  end
  return landings
end

--- The host has stored that these steps were written; without an attempt all of the job's.
---@param steps { job: integer, attempt: integer? }[]
function M.stored(steps)
  for _, step in ipairs(steps) do
    connection.written = vim.tbl_filter(function(written)
      return written.job ~= step.job or step.attempt ~= nil and written.attempt ~= step.attempt
    end, connection.written)
  end
end

--- Replaces rows as one undo step, where the user asks for that here and now.
---@param buffer integer
---@param first integer row from 0
---@param last integer exclusive
---@param lines string[]
function M.put(buffer, first, last, lines)
  local is_first = first == last and #lines > 0 and replace.is_empty(buffer)
  undo_step.as_one_step(buffer, function()
    rows.replace(buffer, is_first and 0 or first, is_first and 1 or last, lines)
  end)
end

return M
