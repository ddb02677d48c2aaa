--- Keeps plugins from completing, pairing, linting or suggesting in the prompt, which holds a sentence, not code.

local M = {}

--- Variables of the buffer that plugins look at.
local VARIABLES = {
  completion = false, -- blink.cmp
  minicompletion_disable = true,
  copilot_enabled = false,
  copilot_suggestion_hidden = true,
  copilot_suggestion_auto_trigger = false,
  codeium_enabled = false,
  coc_enabled = 0,
  coc_suggest_disable = 1,
  asyncomplete_enable = 0,
  deoplete_disable_auto_complete = 1,
  ale_enabled = 0,
}

--- Before the buffer is entered: plugins ask when it is.
---@param bufnr integer
function M.apply(bufnr)
  for name, value in pairs(VARIABLES) do
    vim.b[bufnr][name] = value
  end
  local bo = vim.bo[bufnr]
  bo.textwidth, bo.wrapmargin, bo.complete, bo.omnifunc, bo.completefunc = 0, 0, "", "", ""
  if vim.fn.exists("+autocomplete") == 1 then
    bo.autocomplete = false
  end
end

--- nvim-cmp has no variable, and can be set up only for the current buffer.
---@param bufnr integer
function M.entered(bufnr)
  local cmp = package.loaded["cmp"]
  if type(cmp) == "table" and type(cmp.setup) == "table" and vim.is_callable(cmp.setup.buffer) then
    vim.api.nvim_buf_call(bufnr, function()
      pcall(cmp.setup.buffer, { enabled = false })
    end)
  end
end

return M
