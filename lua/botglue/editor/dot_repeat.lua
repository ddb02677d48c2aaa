--- Sets what `.` repeats. Typing a prompt replaces that, be it the user's last change or the operator that asked for
--- the prompt: this module puts the operator back, or makes `.` repeat nothing. Neither touches text, registers,
--- marks or the cursor.

local connection = require("botglue.host.connection")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.redo")

---@class botglue.Operator
---@field count string
---@field motion string as it was typed, before maps
---@field cursor integer[]
---@field name string the value of 'operatorfunc'

--- An operator begins: records the keys typed from now on as its motion.
---@param name string the value of 'operatorfunc'
function M.begin(name)
  local count = vim.v.count > 0 and tostring(vim.v.count) or ""
  local operator = { count = count, motion = "", cursor = api.nvim_win_get_cursor(0), name = name }
  connection.operator = operator
  local own = "" -- the operator's own two keys, which come first
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
      -- The user may force the motion to another kind, or type a search or a command as one.
      local is_motion = vim.v.event.new_mode:match("^no") or vim.v.event.new_mode:match("^c")
      if not is_motion then
        vim.on_key(nil, namespace)
      end
      return not is_motion
    end,
  })
end

--- Calls a function in an empty buffer, wherever the user is by now: in the user's buffer an operator would take the
--- visual selection for its text, and the cursor may be past the end of a line.
---@param fn fun()
local function in_empty_buffer(fn)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_call(bufnr, fn)
  -- Fails in the command-line window.
  pcall(api.nvim_buf_delete, bufnr, { force = true })
end

--- Stands in for the operator's function.
function M.nothing() end

--- Makes `.` repeat the last operator: runs it once more with its motion as typed, and with a function that does
--- nothing.
function M.operator()
  local operator = connection.operator
  vim.on_key(nil, namespace)
  if not operator or operator.motion == "" then
    return
  end
  local win, view = api.nvim_get_current_win(), vim.fn.winsaveview()
  vim.go.operatorfunc = "v:lua.require'botglue.editor.dot_repeat'.nothing"
  in_empty_buffer(function()
    api.nvim_win_call(win, function()
      pcall(api.nvim_win_set_cursor, 0, operator.cursor)
      pcall(vim.cmd.normal, operator.count .. "g@" .. operator.motion)
    end)
  end)
  vim.go.operatorfunc = operator.name
  vim.fn.winrestview(view)
end

--- Makes `.` repeat an empty insertion. It has no effect within an autocommand: Neovim restores what `.` repeats
--- after one.
function M.forget()
  in_empty_buffer(function()
    vim.cmd("noautocmd normal! a\27")
  end)
end

return M
