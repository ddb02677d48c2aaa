--- Goes back to an earlier message of the session that wrote the text under the cursor, and continues from there in a
--- fork, with a new prompt, on the current text.

local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local query = require("botglue.host.query")
local requests = require("botglue.jobs.request")
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

--- Runs a step whose error no caller would catch: shows the error and unmarks the range.
---@param target botglue.Range
---@param fn fun()
local function guarded(target, fn)
  if not errors.guard(fn) then
    target:unmark()
  end
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
      local request = requests.continue(source.job, checkpoint.uuid)
      require("botglue.jobs.run").ask(source.target, request, (client.options()))
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
