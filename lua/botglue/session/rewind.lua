--- Goes back to an earlier message of the session that wrote the text under the cursor, and continues from there in a
--- fork, with a new prompt, on the current text.

local errors = require("botglue.host.errors")
local registry = require("botglue.jobs.registry")
local run = require("botglue.jobs.run")

---@param checkpoint botglue.Checkpoint
---@return string
local function line(checkpoint)
  local seconds = math.floor(checkpoint.at_ms / 1000)
  local today = os.date("%F", seconds) == os.date("%F")
  local prompt = require("botglue.util.text").clean(checkpoint.prompt)
  return ("%s  %s"):format(os.date(today and "%H:%M" or "%d %b %H:%M", seconds), prompt)
end

--- Has the user choose a message, and asks for the prompt that goes on from it.
---@param id integer of the job
---@param checkpoints botglue.Checkpoint[]
return function(id, checkpoints)
  if #checkpoints == 0 then
    errors.fail("no message to go back to: use :Botglue followup")
  end
  local job = registry.job(id)
  local target = job:again()
  local options = { prompt = "botglue: go back to", format_item = line, kind = "botglue" }
  vim.ui.select(checkpoints, options, function(checkpoint)
    local function go_on()
      run.ask(target, run.onward(job, checkpoint.uuid))
    end
    if not checkpoint or not errors.guard(go_on) then
      target:unmark()
    end
  end)
end
