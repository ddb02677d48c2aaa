--- Asks for the prompt by `vim.ui.input`: where the option says so, and where a script without a screen has put a
--- function of its own there.

local notify = require("botglue.host.notify")

local M = {}

--- Whether no UI is attached and `vim.ui.input` is replaced. The default one would wait for keys forever.
---@return boolean
function M.is_for_scripts()
  local from = debug.getinfo(vim.ui.input, "S").source
  return #vim.api.nvim_list_uis() == 0 and not from:find("vim/ui.lua", 1, true)
end

---@param range botglue.Range
---@param request botglue.Request
---@param opts botglue.PromptOptions
---@param send fun(request: botglue.Request)
function M.ask(range, request, opts, send)
  local unhighlight = require("botglue.ui.highlight").range(range)
  local prewarm = require("botglue.jobs.prewarm").start(range.bufnr, request, opts.options)
  local trouble =
    require("botglue.ui.prompt.obstacle").label(request.agent or opts.options.agent, opts.options)
  local label = (request.question and "botglue ask" or "botglue")
    .. (trouble and (" (%s): "):format(trouble) or ": ")
  vim.ui.input({ prompt = label, default = opts.proposal }, function(prompt)
    unhighlight()
    if opts.set_repeat then
      -- It may have been typed in a window of some plugin's.
      opts.set_repeat()
    end
    local wanted = prompt ~= nil and prompt:find("%S") ~= nil
    if wanted and range:rebase() then
      require("botglue.host.errors").guard(function()
        prewarm:hand_over(vim.tbl_extend("force", request, { prompt = prompt }), send)
      end)
      return
    end
    prewarm:drop()
    if opts.on_cancel then
      opts.on_cancel()
    end
    range:unmark()
    if wanted then
      notify.error("botglue: the place that it was for is not known: " .. prompt)
    end
  end)
end

return M
