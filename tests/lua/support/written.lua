--- A child in which a job has written something, for what goes on from there.

local child = require("support.child")

local M = {}

M.ROWS = { "a", "fn one() {", "  1", "}", "e" }

M.line = child.line

--- A child in which job 1 has written rows 2 to 4.
---@param more table? what else the agent says
---@param options table? others than those of these specs
---@param earlier table[]? jobs of the store, as `support.journal` takes them
function M.with_landed(more, options, earlier)
  local nvim = child.with_host(M.ROWS)
  if earlier then
    nvim:lua("require('support.journal').write(...)", earlier)
  end
  nvim:lua("require('botglue').setup(...)", options or vim.empty_dict())
  nvim:run(M.line(2, 4), { agent = "claude", model = "haiku" })
  nvim:answer(
    1,
    { "fn two() {", "  2", "}" },
    vim.tbl_extend("force", { session_id = "s1", model = "full" }, more or {})
  )
  return nvim
end

--- Sends the prompt that opens with these words, or closes it.
---@param words string?
function M.answer_prompt(nvim, words)
  nvim:eventually("the prompt is open", "return vim.bo.filetype == 'botglue-prompt'")
  nvim:type(words and words .. "<C-s>" or "<Esc><Esc>")
end

function M.message_of(nvim, command)
  nvim:type((":Botglue %s<CR>"):format(command))
  return nvim:messages()
end

return M
