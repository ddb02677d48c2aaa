--- Errors for the user: raised as one sentence. If no caller would catch it, as after a key or in a reply of the
--- host, `guard` shows it as one line without a traceback.

local M = {}

--- Raises an error.
---@param format string
---@param ... any the values for the format
---@return any never
function M.fail(format, ...)
  error("botglue: " .. format:format(...), 0)
end

--- Raises an error in the command-line window, where Neovim opens no other window.
function M.no_window_in_cmdwin()
  if vim.fn.getcmdwintype() ~= "" then
    M.fail("no window opens from the command-line window: leave it first")
  end
end

--- Calls a function, and shows its error.
---@param fn fun(...)
---@param ... any its arguments
function M.guard(fn, ...)
  local ok, raised = pcall(fn, ...)
  if not ok then
    require("botglue.host.notify").error(tostring(raised))
  end
end

return M
