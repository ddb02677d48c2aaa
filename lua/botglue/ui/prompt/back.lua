--- Returns from the prompt to the window from which it was asked for, with its cursor, its mode, and what `.` repeats.

local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local redo = require("botglue.editor.redo")

local M = {}

local api = vim.api

local namespace = api.nvim_create_namespace("botglue.prompt.back")

---@class botglue.Whence where the user comes from
---@field win integer
---@field bufnr integer where they were typing, if they were:
---@field mark integer? that stays there if text before it changes

--- The byte at which the user is typing, where CTRL-O at the end of a row put the cursor on its last character.
---@param row integer from 1
---@param col integer
---@return integer
local function behind_row(row, col)
  local last = api.nvim_buf_get_mark(0, "^")
  return last[1] == row and last[2] == #api.nvim_get_current_line() and last[2] or col
end

---@return botglue.Whence
function M.here()
  local mode, bufnr = api.nvim_get_mode().mode, api.nvim_get_current_buf()
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local is_between, mark = mode:match("^ni") ~= nil, nil
  if mode:match("^[iR]") or is_between then
    col = is_between and behind_row(row, col) or col
    mark = api.nvim_buf_set_extmark(bufnr, namespace, row - 1, col, {})
  end
  return { win = api.nvim_get_current_win(), bufnr = bufnr, mark = mark }
end

---@param whence botglue.Whence
function M.forget(whence)
  if whence.mark then
    pcall(api.nvim_buf_del_extmark, whence.bufnr, namespace, whence.mark)
  end
end

--- Insert mode is over.
function M.go_on()
  errors.guard(connection.prompt and connection.prompt.after or function() end)
end

--- Ends insert or select mode in the prompt, so that it does not end in the user's window, and then calls `fn`, before
--- the next typed key.
---@param prompt botglue.Prompt
---@param fn fun()
function M.normal_mode(prompt, fn)
  local mode = api.nvim_get_mode().mode
  if mode:match("^[iR]") then
    prompt.after = fn
    local go_on = "<Esc><Cmd>lua require('botglue.ui.prompt.back').go_on()<CR>"
    api.nvim_feedkeys(vim.keycode(go_on), "ni", false)
    return
  elseif mode:match("^[vVsS\22\19]") then
    vim.cmd("normal! \27")
  end
  if mode ~= "n" then
    -- After CTRL-O, or what was selected out of it, insert mode would begin again there.
    vim.cmd.stopinsert()
  end
  fn()
end

--- Closes the prompt, and restores the cursor. Its line may have moved, because an answer landed above it.
---@param whence botglue.Whence
---@param close fun() goes to the window, if it is still there
function M.go(whence, close)
  local win, bufnr = whence.win, whence.bufnr
  local cursor = api.nvim_win_is_valid(win) and api.nvim_win_get_cursor(win)
  close()
  if not cursor or api.nvim_get_current_win() ~= win then
    return
  end
  local is_typing = whence.mark and api.nvim_win_get_buf(win) == bufnr
  local at = is_typing and api.nvim_buf_get_extmark_by_id(bufnr, namespace, whence.mark, {}) or {}
  if #at == 0 then
    pcall(api.nvim_win_set_cursor, win, cursor)
    return
  end
  local row, col = unpack(at)
  local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  pcall(api.nvim_win_set_cursor, win, { row + 1, col })
  vim.cmd.startinsert({ bang = col >= #line })
end

--- Prevents `.` from typing a prompt into the user's text: once the user leaves a changed prompt, `.` repeats the
--- operator that asked for it, or nothing.
---@param on fun(event: string, callback: fun(), options: table) for events of the prompt
---@param bufnr integer of the prompt, which is current
---@param again fun()? makes `.` repeat what asked for the prompt, where that was an operator
---@return fun() leave to be called before the prompt closes
---@return fun() forget to be called when it has closed, outside of autocommands
function M.watch_dot(on, bufnr, again)
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
