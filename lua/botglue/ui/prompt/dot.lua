--- Prevents `.` from typing a prompt into the user's text: once the user leaves a changed prompt, `.` repeats the
--- operator that asked for it, or nothing.

local redo = require("botglue.editor.redo")

local M = {}

local api = vim.api

---@param bufnr integer of the prompt, which is current
---@param group integer of autocommands
---@param again fun()? makes `.` repeat what asked for the prompt, where that was an operator
---@return fun() forget to be called when the prompt has closed, outside of autocommands
function M.attach(bufnr, group, again)
  local tick -- the prompt's, when it was entered; nil once what was typed is forgotten
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
  local function enter()
    tick = tick or api.nvim_buf_get_changedtick(bufnr)
  end
  local function leave()
    is_typed = api.nvim_buf_get_changedtick(bufnr) ~= tick
    vim.schedule(forget)
  end
  local desc = "botglue: what . repeats"
  api.nvim_create_autocmd("BufEnter", { group = group, buffer = bufnr, desc = desc, callback = enter })
  api.nvim_create_autocmd("BufLeave", { group = group, buffer = bufnr, desc = desc, callback = leave })
  enter()
  return forget
end

return M
