--- Asks for the prompt. The range is marked before, so that what changes while it is typed moves it along.

local M = {}

--- Opens the prompt for a range and starts the job when it is sent.
---@param range botglue.Range
---@param wish { agent: string?, model: string?, review: boolean? }
---@param options botglue.Options
---@param sent fun(prompt: string)? told of what was sent
function M.ask(range, wish, options, sent)
  local unhighlight = require("botglue.ui.highlight").range(range)
  vim.ui.input({ prompt = "botglue: " }, function(prompt)
    unhighlight()
    if not prompt or not prompt:find("%S") then
      range:unmark()
      return
    end
    if not vim.api.nvim_buf_is_loaded(range.bufnr) or not range:rebase() then
      range:unmark()
      require("botglue.notify").error("botglue: the lines that the prompt was for are gone: " .. prompt)
      return
    end
    if sent then
      sent(prompt)
    end
    local given = { prompt = prompt, agent = wish.agent, model = wish.model, review = wish.review }
    require("botglue.run").start(range, given, options)
  end)
end

return M
