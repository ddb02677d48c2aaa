--- Asks for the prompt. The range is marked before, so that what changes while it is typed moves it along.

local M = {}

local notify = require("botglue.notify")

--- Opens the prompt for a range; the range is let go of where nothing is sent.
---@param range botglue.Range
---@param send fun(prompt: string) called with what was typed, the range as it is by then
function M.ask(range, send)
  local unhighlight = require("botglue.ui.highlight").range(range)
  vim.ui.input({ prompt = "botglue: " }, function(prompt)
    unhighlight()
    local wanted = prompt ~= nil and prompt:find("%S") ~= nil
    if wanted and range:rebase() then
      send(prompt)
      return
    end
    range:unmark()
    if wanted then
      notify.error("botglue: the lines that this was for are gone: " .. prompt)
    end
  end)
end

return M
