--- Goes back to an earlier message of the session that wrote the text under the cursor, and on from there in a fork:
--- with a new prompt, and if the user likes with the text of that time.

local client = require("botglue.client")
local errors = require("botglue.errors")
local followup = require("botglue.followup")
local land = require("botglue.land")
local query = require("botglue.query")
local writer = require("botglue.writer")

local M = {}

local fail = errors.fail

---@class botglue.Checkpoint
---@field uuid string of the message
---@field session_id string
---@field job string the store's key of the job whose message it is
---@field prompt string
---@field at_ms integer
---@field rows string[] what stood in the range then
---@field kind "line"|"char"|"block"|"insert"

---@param checkpoint botglue.Checkpoint
---@return string
local function line(checkpoint)
  local seconds = math.floor(checkpoint.at_ms / 1000)
  local today = os.date("%F", seconds) == os.date("%F")
  local prompt = require("botglue.text").clean(checkpoint.prompt)
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
---@param callback fun(lines: string[]?) nil where it fits into no such range
local function text_of(checkpoint, target, callback)
  local shape = target.shape
  if shape == "line" or shape == "insert" then
    callback(checkpoint.rows)
  elseif shape ~= checkpoint.kind then
    callback(nil)
  else
    -- The checkpoint has whole rows; which part of them was selected only its job knows.
    query.ask("job", { uuid = checkpoint.job }, function(result)
      local text = result and result.job.selection.text
      local fits = text and (shape == "char" or #text == #target.base.text)
      callback(fits and text or nil)
    end)
  end
end

--- Puts an earlier text into the range, as one undo step.
---@param target botglue.Range
---@param lines string[]
---@return botglue.Range target with that text
local function put_back(target, lines)
  local place = target:look()
  if not place or land.write(target, place, lines) then
    fail("nothing was put back: the place is not known, or cannot be changed")
  end
  local other = target:again()
  target:unmark()
  return other --[[@as botglue.Range]]
end

--- Asks which text the job should begin with, where there is a choice.
---@param checkpoint botglue.Checkpoint
---@param target botglue.Range
---@param callback fun(target: botglue.Range)
local function choose_text(checkpoint, target, callback)
  text_of(checkpoint, target, function(lines)
    local place = target:look()
    local now = place and target:read(place)
    if not lines or not now or vim.deep_equal(lines, target.shape == "line" and now.rows or now.text) then
      callback(target)
      return
    end
    local choices = { "Keep the text as it is", "Put back the text of that time" }
    vim.ui.select(choices, { prompt = "botglue: the text was another then" }, function(_, index)
      guarded(target, function()
        if not index then
          target:unmark()
        else
          callback(index == 2 and put_back(target, lines) or target)
        end
      end)
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
      choose_text(checkpoint, source.target, function(target)
        require("botglue.run").ask(target, followup.wish(source, checkpoint.uuid), (client.options()))
      end)
    end)
  end)
end

--- `:Botglue rewind`
function M.command()
  local stayed = require("botglue.here").asked()
  writer.at_cursor(function(source)
    local _, agent = writer.session("the job", source.agent, source.session_id)
    if agent.protocol ~= "claude" then
      source.target:unmark()
      fail("%s cannot go back within a session: use :Botglue followup", source.agent)
    end
    local about = { agent = source.agent, session_id = source.session_id }
    query.ask("checkpoints", about, function(result, err)
      guarded(source.target, function()
        writer.only_for_who_stayed(source, stayed)
        choose(source, (result or errors.fail("%s", err)).checkpoints)
      end)
    end)
  end)
end

return M
