--- Remembers where the user was when the prompt opened, and restores the cursor, the mode and what `.` repeats.

local M = {}

local api = vim.api

---@class botglue.PromptOrigin
---@field win integer
---@field is_typing boolean
---@field is_at_end boolean whether the cursor is after the last character of its row

---@return botglue.PromptOrigin
function M.here()
  local mode, col = api.nvim_get_mode().mode, api.nvim_win_get_cursor(0)[2]
  local length, last = #api.nvim_get_current_line(), api.nvim_buf_get_mark(0, "^")
  -- At the end of a row CTRL-O puts the cursor on the last character.
  local was_at_end = mode:match("^ni") and last[1] == vim.fn.line(".") and last[2] == length
  return {
    win = api.nvim_get_current_win(),
    is_typing = mode:match("^[iR]") ~= nil or mode:match("^ni") ~= nil,
    is_at_end = col >= length or was_at_end or false,
  }
end

--- Ends visual or select mode, and an insert mode that would resume after CTRL-O, or after a selection made from it.
function M.normal_mode()
  local mode = api.nvim_get_mode().mode
  if mode:match("^[vVsS\22\19]") then
    vim.cmd("normal! \27")
  end
  if mode ~= "n" then
    vim.cmd.stopinsert()
  end
end

--- The prompt is closed: a user who was typing before goes on typing.
---@param origin botglue.PromptOrigin
function M.type_on(origin)
  if origin.is_typing and api.nvim_get_current_win() == origin.win then
    vim.cmd.startinsert({ bang = origin.is_at_end })
  end
end

--- Prevents `.` from typing a prompt into the user's text: once the user leaves a changed prompt, `.` repeats the
--- operator that asked for it, or nothing.
---@param on fun(event: string, callback: fun(), options: table) for events of the prompt
---@param bufnr integer of the prompt, which is current
---@param repeats boolean? whether an operator asked for the prompt
---@return fun() forget to be called when it has closed, outside of autocommands
function M.watch_dot(on, bufnr, repeats)
  local tick, is_typed = api.nvim_buf_get_changedtick(bufnr), false
  local function forget()
    if not is_typed or api.nvim_get_current_buf() == bufnr then
      return
    elseif api.nvim_get_mode().mode:match("^[iR]") then
      -- While the insertion goes on in another buffer, this would make `.` repeat the rest of it as commands.
      api.nvim_create_autocmd("InsertLeave", {
        group = api.nvim_create_augroup("botglue.dot", { clear = true }),
        once = true,
        desc = "botglue: the insertion that began in the prompt is over",
        callback = vim.schedule_wrap(forget),
      })
      return
    end
    is_typed = false
    require("botglue.editor.dot_repeat")[repeats and "operator" or "forget"]()
  end
  on("BufLeave", function()
    local now = api.nvim_buf_get_changedtick(bufnr)
    tick, is_typed = now, is_typed or now ~= tick
    vim.schedule(forget)
  end, { buffer = bufnr })
  return forget
end

return M
