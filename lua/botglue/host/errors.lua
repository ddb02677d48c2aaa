--- Errors for the user: raised as one sentence. Where no caller would catch one, as after a key or in a reply of the
--- host, it is shown as one line without a traceback.

local M = {}

--- Raises an error.
---@param format string
---@param ... any what it is formatted with
---@return any never
function M.fail(format, ...)
  error("botglue: " .. format:format(...), 0)
end

--- Raises an error where Neovim allows no other window.
function M.no_window_in_cmdwin()
  if vim.fn.getcmdwintype() ~= "" then
    M.fail("no window opens from the command-line window: leave it first")
  end
end

--- Calls a function; an error in it is shown.
---@param fn fun(...)
---@param ... any its arguments
function M.guard(fn, ...)
  local ok, raised = pcall(fn, ...)
  if not ok then
    require("botglue.host.notify").error(tostring(raised))
  end
end

return M
