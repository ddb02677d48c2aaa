--- Lets `.` repeat an operator although a prompt was typed for it. Typing becomes what `.` repeats, so the operator is
--- run once more, with the motion as it was typed and without doing anything.

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

--- `.` repeats the operator from now on.
function M.restore()
  local operator = client.connection().operator
  client.connection().operator = nil
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

return M
