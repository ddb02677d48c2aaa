--- Starts jobs on selections, and at the ranges of earlier jobs; asks for the prompt first if there is none.

local range = require("botglue.editor.marks")

local M = {}

--- Starts a job on a marked range.
---@param target botglue.Range
---@param request botglue.Request
---@param repeats boolean? whether an operator starts it, which `.` then repeats with the same prompt
---@return integer? id
function M.at(target, request, repeats)
  if request.prompt then
    return require("botglue.jobs.run").send(target, request)
  end
  require("botglue.ui.prompt").ask(target, request, repeats)
end

--- Starts a job on a selection.
---@param selection botglue.Selection
---@param request botglue.Request
---@param repeats boolean? whether an operator starts it, which `.` then repeats with the same prompt
---@return integer? id
function M.on(selection, request, repeats)
  return M.at(range.from_selection(selection), request, repeats)
end

--- Starts a job as the host says, at the current place of an earlier job.
---@param again { id: integer, request: botglue.Request }
---@return integer? id
function M.again(again)
  return M.at(require("botglue.jobs.cache").job(again.id):again(), again.request)
end

--- Asks the host for the request of a job that repeats another one, or continues its session, and starts that job.
---@param action "retry"|"followup"
---@param id integer
---@param prompt string?
---@return integer? id of the new job; of the same one if it has waited for a limit
function M.ask_again(action, id, prompt)
  require("botglue.jobs.cache").job(id)
  local about = { action = action, id = id, prompt = prompt }
  local keeps_keys = action == "retry" or prompt ~= nil
  local reply = require("botglue.host.ask").open("again", about, { keeps_keys = keeps_keys })
  return reply.again and M.again(reply.again) or id
end

return M
