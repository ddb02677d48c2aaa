--- Asks for the prompt. The range is marked before, so that what changes while it is typed moves it along; the agent is
--- started, so that it is ready when the prompt is.

local M = {}

local notify = require("botglue.notify")

---@class botglue.PromptOptions
---@field options botglue.Options

--- Opens the prompt for a range; the range is let go of where nothing is sent.
---@param range botglue.Range
---@param wish botglue.Wish what is known of the job
---@param opts botglue.PromptOptions
---@param send fun(wish: botglue.Wish) called with what was typed added to the wish, the range as it is by then
function M.ask(range, wish, opts, send)
  local unhighlight = require("botglue.ui.highlight").range(range)
  local prewarm = require("botglue.prewarm").start(range.bufnr, wish, opts.options)
  vim.ui.input({ prompt = "botglue: " }, function(prompt)
    unhighlight()
    local wanted = prompt ~= nil and prompt:find("%S") ~= nil
    if wanted and range:rebase() then
      send(vim.tbl_extend("force", wish, { prompt = prompt, prewarmed = prewarm:take() }))
      return
    end
    prewarm:drop()
    range:unmark()
    if wanted then
      notify.error("botglue: the lines that this was for are gone: " .. prompt)
    end
  end)
end

return M
