--- Back from the prompt to the user's window, which is as it was: its cursor, and whether somebody was typing there.

local M = {}

local api = vim.api

--- The column at which the user is typing, if they are.
---@return integer?
function M.inserting()
  local mode = api.nvim_get_mode().mode
  if mode:match("^[iR]") or mode:match("^ni") then
    return api.nvim_win_get_cursor(0)[2]
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
---@param inserting integer? the column at which somebody was typing
function M.go(win, cursor, inserting)
  if not api.nvim_win_is_valid(win) or api.nvim_get_current_win() ~= win then
    return
  elseif not inserting then
    pcall(api.nvim_win_set_cursor, win, cursor)
    return
  end
  local row = cursor[1]
  local line = api.nvim_buf_get_lines(api.nvim_win_get_buf(win), row - 1, row, false)[1] or ""
  pcall(api.nvim_win_set_cursor, win, { row, math.min(inserting, #line) })
  vim.cmd.startinsert({ bang = inserting >= #line })
end

return M
