--- What `.` repeats. Typing a prompt becomes that, in the place of the user's own last change or of the operator that
--- asked for the prompt: here are two ways back. Neither touches a text, a register, a mark or the cursor.

local client = require("botglue.client")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.redo")

---@class botglue.Operator
---@field count string
---@field motion string as it was typed, before maps
---@field cursor integer[]
---@field name string the operator's function

--- The operator begins: what is typed from now on is its motion.
---@param name string its function
function M.begin(name)
  local count = vim.v.count > 0 and tostring(vim.v.count) or ""
  local operator = { count = count, motion = "", cursor = api.nvim_win_get_cursor(0), name = name }
  client.connection().operator = operator
  local own = "" -- the operator's own keys come first
  vim.on_key(function(key, typed)
    if #own < 2 then
      own = own .. key
    else
      operator.motion = operator.motion .. (typed or key)
    end
  end, namespace)
  api.nvim_create_autocmd("ModeChanged", {
    pattern = "no*:*",
    once = true,
    desc = "botglue: the motion is over",
    callback = function()
      vim.on_key(nil, namespace)
    end,
  })
end

--- Called in the place of the operator's function.
function M.nothing() end

--- `.` repeats the operator that was used last: it is run once more, with its motion as that was typed, and does
--- nothing.
function M.operator()
  local operator = client.connection().operator
  vim.on_key(nil, namespace)
  if not operator or operator.motion == "" then
    return
  end
  local view = vim.fn.winsaveview()
  vim.go.operatorfunc = "v:lua.require'botglue.redo'.nothing"
  pcall(api.nvim_win_set_cursor, 0, operator.cursor)
  pcall(vim.cmd.normal, operator.count .. "g@" .. operator.motion)
  vim.go.operatorfunc = operator.name
  vim.fn.winrestview(view)
end

--- `.` repeats what it repeated before the newest change; after a second time nothing. Neovim goes back to that itself
--- when an operator is cancelled, and with "E" in 'cpoptions' one without any text is. A yank is no change, so that
--- nothing has come between. Means nothing within an autocommand: what `.` repeats is the same behind it as before.
function M.back()
  local before, cursor = vim.o.cpoptions, api.nvim_win_get_cursor(0)
  vim.cmd("noautocmd set cpoptions+=E cpoptions-=y")
  pcall(function()
    vim.cmd("silent! noautocmd normal! y" .. vim.keycode("<Cmd><CR>"))
  end)
  vim.cmd("noautocmd let &cpoptions = " .. vim.fn.string(before))
  -- In normal mode no cursor stands behind a line: who types at its end by now would go on before its last character.
  if not vim.deep_equal(api.nvim_win_get_cursor(0), cursor) then
    api.nvim_win_set_cursor(0, cursor)
  end
end

return M
