--- Goes back to an earlier message of the session that wrote the text under the cursor, and on from there in a fork:
--- with a new prompt, and if the user likes with the text of that time.

local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local query = require("botglue.host.query")
local requests = require("botglue.jobs.request")
local write = require("botglue.editor.write")
local writer = require("botglue.session.writer")

local M = {}

local fail = errors.fail

---@param checkpoint botglue.Checkpoint
---@return string
local function line(checkpoint)
  local seconds = math.floor(checkpoint.at_ms / 1000)
  local today = os.date("%F", seconds) == os.date("%F")
  local prompt = require("botglue.util.text").clean(checkpoint.prompt)
  return ("%s  %s"):format(os.date(today and "%H:%M" or "%d %b %H:%M", seconds), prompt)
end

--- Runs a step with nobody above it to catch an error; the range is let go of then.
---@param target botglue.Range
---@param fn fun()
local function guarded(target, fn)
  if not errors.guard(fn) then
    target:unmark()
  end
end

--- The text of a checkpoint by lines, in the shape of the range.
---@param checkpoint botglue.Checkpoint
---@param target botglue.Range
---@return string[]? lines nil where it fits into no such range
local function text_of(checkpoint, target)
  local shape, text = target.shape, checkpoint.text
  if shape == "line" or shape == "insert" then
    return checkpoint.rows
  elseif text and shape == checkpoint.kind and (shape == "char" or #text == #target.base.text) then
    return text
  end
end

--- Whole rows with other pieces in them.
---@param target botglue.Range
---@param place botglue.Extent
---@param pieces string[]
---@return string[] rows
---@return botglue.Extent place where the pieces are in them
local function with_pieces(target, place, pieces)
  local now = target:read(place)
  if target.shape == "char" then
    local head, tail = now.rows[1]:sub(1, place.from), now.rows[#now.rows]:sub(place.to + 1)
    local rows = vim.list_extend({}, pieces)
    rows[1] = head .. rows[1]
    local to = #rows[#rows]
    rows[#rows] = rows[#rows] .. tail
    return rows, { first = place.first, last = place.first + #rows - 1, from = place.from, to = to }
  end
  local rows, spans = {}, {}
  for i, span in ipairs(place.spans) do
    rows[i] = now.rows[i]:sub(1, span[1]) .. pieces[i] .. now.rows[i]:sub(span[2] + 1)
    spans[i] = { span[1], span[1] + #pieces[i] }
  end
  return rows, { first = place.first, last = place.last, spans = spans }
end

--- What takes an earlier text out of the range again, unless the user has changed it since.
---@param target botglue.Range with that text
---@param rows string[] the whole rows of that text
---@param before string[] those that it replaced
---@return fun()
local function taking_out(target, rows, before)
  return function()
    local place, bufnr = target:place(), target.bufnr
    if not place or not vim.bo[bufnr].modifiable then
      return
    end
    local past = place.first + #rows
    if vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, place.first, past, false), rows) then
      write.put(bufnr, place.first, past, before)
    end
  end
end

--- Puts an earlier text into the range, as one undo step.
---@param target botglue.Range
---@param lines string[]
---@return botglue.Range target with that text
---@return fun() take_out puts back what was there before it
local function put_back(target, lines)
  local place = target:place()
  if not place or not vim.bo[target.bufnr].modifiable then
    fail("nothing was put back: the place is not known, or cannot be changed")
  end
  ---@cast place botglue.Extent
  local shape, rows, after, past = target.shape, lines, nil, place.last + 1
  if shape == "char" or shape == "block" then
    rows, after = with_pieces(target, place, lines)
  elseif shape == "insert" then
    past = place.first
  end
  after = after or { first = place.first, last = place.first + #rows - 1 }
  local before = target:read(place).rows
  write.put(target.bufnr, place.first, past, rows)
  target:unmark()
  local is_nothing = #rows == 0
  after = is_nothing and { first = place.first, last = place.first } or after
  if is_nothing then
    shape = "insert"
  elseif shape == "insert" then
    shape = "line"
  end
  local put = require("botglue.editor.range").at(target.bufnr, after, shape, target.column)
  return put, taking_out(put, rows, before)
end

--- Asks which text the job should begin with, where there is a choice.
---@param checkpoint botglue.Checkpoint
---@param target botglue.Range
---@param callback fun(target: botglue.Range, take_out: fun()?)
local function choose_text(checkpoint, target, callback)
  local lines, place = text_of(checkpoint, target), target:place()
  local now = place and target:read(place)
  if not lines or not now or vim.deep_equal(lines, target.shape == "line" and now.rows or now.text) then
    callback(target)
    return
  end
  local choices = { "Keep the text as it is", "Put back the text of that time" }
  vim.ui.select(choices, { prompt = "botglue: the text was different then" }, function(_, index)
    guarded(target, function()
      if not index then
        target:unmark()
      elseif index == 2 then
        callback(put_back(target, lines))
      else
        callback(target)
      end
    end)
  end)
end

---@param source botglue.Source
---@param checkpoints botglue.Checkpoint[]
local function choose(source, checkpoints)
  if #checkpoints == 0 then
    fail("no message to go back to: use :Botglue followup")
  end
  local options = { prompt = "botglue: go back to", format_item = line, kind = "botglue" }
  vim.ui.select(checkpoints, options, function(checkpoint)
    guarded(source.target, function()
      if not checkpoint then
        source.target:unmark()
        return
      end
      choose_text(checkpoint, source.target, function(target, take_out)
        local request = requests.continue(source.job, checkpoint.uuid)
        require("botglue.jobs.run").ask(target, request, (client.options()), { dropped = take_out })
      end)
    end)
  end)
end

--- `:Botglue rewind`
function M.command()
  local stayed = require("botglue.editor.user_context").asked()
  local source = writer.at_cursor()
  local job, target = source.job, source.target
  local _, agent = writer.session("the job", job.agent, job.session_id)
  if agent.protocol ~= "claude" then
    target:unmark()
    fail("%s cannot go back within a session: use :Botglue followup", job.agent)
  end
  local about = { agent = job.agent, session_id = job.session_id }
  query.ask("checkpoints", about, function(result, err)
    guarded(target, function()
      if not stayed() then
        -- A menu would take the keys that they type.
        fail("try again: you moved on before the store replied, nothing was opened")
      end
      choose(source, (result or fail("%s", err)).checkpoints)
    end)
  end)
end

return M
