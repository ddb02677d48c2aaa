--- Continues the session that wrote a range, on the current range. Always in a fork: the session stays as it is, so
--- several follow-ups can run side by side.

local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local fail = require("botglue.host.errors").fail
local requests = require("botglue.jobs.request")
local run = require("botglue.jobs.run")
local writer = require("botglue.session.writer")

local M = {}

---@param source botglue.Source
---@param prompt string? none: it is asked for
---@param model string? another one than before
---@return integer? id
local function start(source, prompt, model)
  local request, options = requests.continue(source.job), (client.options())
  request.model = model or request.model
  if prompt then
    request.prompt = prompt
    return run.send(source.target, request, options)
  end
  run.ask(source.target, request, options)
end

--- Goes on from a job of this Neovim.
---@param id integer
---@param prompt string? none: it is asked for
---@return integer? id of the new job
function M.followup(id, prompt)
  if prompt ~= nil and (type(prompt) ~= "string" or not prompt:find("%S")) then
    fail("prompt must be some words, got %s", vim.inspect(prompt))
  end
  local job = choose.job(id)
  return start(writer.of_job(job), prompt)
end

--- `:Botglue followup [prompt]`
---@param words string
---@param model string?
function M.command(words, model)
  start(writer.at_cursor(), words ~= "" and words or nil, model)
end

return M
