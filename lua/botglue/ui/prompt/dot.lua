--- Prevents `.` from typing a prompt into the user's text: once the user leaves a changed prompt, `.` repeats the
--- operator that asked for it, or nothing.

local redo = require("botglue.editor.redo")

local M = {}

local api = vim.api

---@param on fun(event: string, callback: fun(), options: table) for events of the prompt
---@param bufnr integer of the prompt, which is current
---@param again fun()? makes `.` repeat what asked for the prompt, where that was an operator
---@return fun() leave to be called before the prompt closes
---@return fun() forget to be called when it has closed, outside of autocommands
function M.attach(on, bufnr, again)
  local tick = api.nvim_buf_get_changedtick(bufnr) ---@type integer? when it was entered; nil once that is forgotten
  local is_typed = false
  local function forget()
    if not tick or api.nvim_get_current_buf() == bufnr then
      return
    elseif api.nvim_get_mode().mode:match("^[iR]") then
      -- In the middle of an insertion that goes on elsewhere, the rest of it would be repeated as commands.
      api.nvim_create_autocmd("InsertLeave", {
        group = api.nvim_create_augroup("botglue.dot", { clear = true }),
        once = true,
        desc = "botglue: the insertion that began in the prompt is over",
        callback = vim.schedule_wrap(forget),
      })
      return
    end
    tick = nil
    if is_typed then
      (again or redo.forget)()
    end
  end
  on("BufEnter", function()
    tick = tick or api.nvim_buf_get_changedtick(bufnr)
  end, { buffer = bufnr })
  local function leave()
    if api.nvim_get_current_buf() == bufnr then
      is_typed = api.nvim_buf_get_changedtick(bufnr) ~= tick
      vim.schedule(forget)
    end
  end
  on("BufLeave", leave, { buffer = bufnr })
  return leave, forget
end

return M
