--- What `.` repeats. Typing a prompt becomes that, in the place of the user's own last change or of the operator
--- that asked for the prompt: the operator can be put back, or all be forgotten. Neither touches a text, a register, a
--- mark or the cursor.

local connection = require("botglue.host.connection")

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
  connection.operator = operator
  local own = "" -- the operator's own keys come first
  vim.on_key(function(key, typed)
    if #own < 2 then
      own = own .. key
    else
      operator.motion = operator.motion .. (typed or key)
    end
  end, namespace)
  api.nvim_create_autocmd("ModeChanged", {
    group = api.nvim_create_augroup("botglue.redo", { clear = true }),
    desc = "botglue: the motion is over",
    callback = function()
      -- It may be forced to another kind, or be a search or a command.
      local is_motion = vim.v.event.new_mode:match("^no") or vim.v.event.new_mode:match("^c")
      if not is_motion then
        vim.on_key(nil, namespace)
      end
      return not is_motion
    end,
  })
end

--- Calls a function in an empty buffer. There nothing is selected, and no cursor stands behind a line, wherever the
--- user is by now, in whatever mode: in theirs an operator would take what is selected for its text.
---@param fn fun()
local function aside(fn)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_call(bufnr, fn)
  -- Not from the command-line window.
  pcall(api.nvim_buf_delete, bufnr, { force = true })
end

--- Called in the place of the operator's function.
function M.nothing() end

--- `.` repeats the operator that was used last: it is run once more, with its motion as that was typed, and does
--- nothing.
function M.operator()
  local operator = connection.operator
  vim.on_key(nil, namespace)
  if not operator or operator.motion == "" then
    return
  end
  local win, view = api.nvim_get_current_win(), vim.fn.winsaveview()
  vim.go.operatorfunc = "v:lua.require'botglue.editor.dot_repeat'.nothing"
  aside(function()
    api.nvim_win_call(win, function()
      pcall(api.nvim_win_set_cursor, 0, operator.cursor)
      pcall(vim.cmd.normal, operator.count .. "g@" .. operator.motion)
    end)
  end)
  vim.go.operatorfunc = operator.name
  vim.fn.winrestview(view)
end

--- `.` repeats an insertion of nothing. Within an autocommand this has no effect: what `.` repeats is the same after it
--- as before.
function M.forget()
  aside(function()
    vim.cmd("noautocmd normal! a\27")
  end)
end

return M
