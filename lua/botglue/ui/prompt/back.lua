--- Back from the prompt to the user's window, which is as it was: its cursor, and whether somebody was typing there.

local M = {}

local api = vim.api

local namespace = api.nvim_create_namespace("botglue.prompt.back")

---@class botglue.Typing where somebody is typing: a mark, so that it stays there whatever lands before it
---@field bufnr integer
---@field id integer

--- The byte at which the user is typing, where CTRL-O at the end of a row put the cursor on its last character.
---@param row integer from 1
---@param col integer
---@return integer
local function behind_row(row, col)
  local last = api.nvim_buf_get_mark(0, "^")
  return last[1] == row and last[2] == #api.nvim_get_current_line() and last[2] or col
end

--- Where the user is typing, if they are.
---@return botglue.Typing?
function M.typing()
  local mode = api.nvim_get_mode().mode
  local is_between = mode:match("^ni") ~= nil
  if not mode:match("^[iR]") and not is_between then
    return nil
  end
  local bufnr, row, col = api.nvim_get_current_buf(), unpack(api.nvim_win_get_cursor(0))
  col = is_between and behind_row(row, col) or col
  return { bufnr = bufnr, id = api.nvim_buf_set_extmark(bufnr, namespace, row - 1, col, {}) }
end

--- The prompt is closed, in whatever way, and the user where they were.
---@param typing botglue.Typing?
function M.forget(typing)
  if typing then
    pcall(api.nvim_buf_del_extmark, typing.bufnr, namespace, typing.id)
  end
end

--- Ends insert or select mode in the prompt, so that it does not end in the user's window, and then calls `fn`, before
--- whatever was typed behind it.
---@param prompt botglue.Prompt
---@param fn fun()
function M.normal_mode(prompt, fn)
  local mode = api.nvim_get_mode().mode
  if mode:match("^[iR]") then
    prompt.after = fn
    local go_on = "<Esc><Cmd>lua require('botglue.ui.prompt').go_on()<CR>"
    api.nvim_feedkeys(vim.keycode(go_on), "ni", false)
    return
  elseif mode:match("^[vVsS\22\19]") then
    vim.cmd("normal! \27")
  end
  fn()
end

--- Puts the cursor where it was. Its line may be another one by now: what landed above moved it.
---@param win integer
---@param cursor integer[] where it was just before the prompt was closed
---@param typing botglue.Typing?
function M.go(win, cursor, typing)
  if not api.nvim_win_is_valid(win) or api.nvim_get_current_win() ~= win then
    return
  end
  local bufnr = api.nvim_win_get_buf(win)
  local is_typing = typing and typing.bufnr == bufnr
  local at = is_typing and api.nvim_buf_get_extmark_by_id(bufnr, namespace, typing.id, {}) or {}
  if #at == 0 then
    pcall(api.nvim_win_set_cursor, win, cursor)
    return
  end
  local row, col = unpack(at)
  local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  pcall(api.nvim_win_set_cursor, win, { row + 1, col })
  vim.cmd.startinsert({ bang = col >= #line })
end

return M
