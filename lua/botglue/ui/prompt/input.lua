--- Asks for the prompt by `vim.ui.input`: where the option says so, and where nobody looks at a screen.

local notify = require("botglue.notify")

local M = {}

---@param range botglue.Range
---@param wish botglue.Wish
---@param opts botglue.PromptOptions
---@param send fun(wish: botglue.Wish)
function M.ask(range, wish, opts, send)
  local unhighlight = require("botglue.ui.highlight").range(range)
  local prewarm = require("botglue.prewarm").start(range.bufnr, wish, opts.options)
  local label = wish.question and "botglue ask: " or "botglue: "
  vim.ui.input({ prompt = label, default = opts.proposal }, function(prompt)
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
