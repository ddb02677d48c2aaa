--- Returns from the prompt to the window from which it was asked for, with its cursor and its mode.

local connection = require("botglue.host.connection")
local notify = require("botglue.host.notify")

local M = {}

local api = vim.api

local namespace = api.nvim_create_namespace("botglue.prompt.back")

---@class botglue.Typing the place where the user types: a mark, so that it stays there if text before it changes
---@field bufnr integer
---@field id integer

---@class botglue.Origin where the user comes from
---@field win integer
---@field typing botglue.Typing? where they were typing, if they were

---@class botglue.Back
---@field origin botglue.Origin
local Back = {}
Back.__index = Back

--- The byte at which the user is typing, where CTRL-O at the end of a row put the cursor on its last character.
---@param row integer from 1
---@param col integer
---@return integer
local function behind_row(row, col)
  local last = api.nvim_buf_get_mark(0, "^")
  return last[1] == row and last[2] == #api.nvim_get_current_line() and last[2] or col
end

--- The place where the user is typing, if they are.
---@return botglue.Typing?
local function typing()
  local mode = api.nvim_get_mode().mode
  local is_between = mode:match("^ni") ~= nil
  if not mode:match("^[iR]") and not is_between then
    return nil
  end
  local bufnr, row, col = api.nvim_get_current_buf(), unpack(api.nvim_win_get_cursor(0))
  col = is_between and behind_row(row, col) or col
  return { bufnr = bufnr, id = api.nvim_buf_set_extmark(bufnr, namespace, row - 1, col, {}) }
end

---@return botglue.Origin
local function here()
  return { win = api.nvim_get_current_win(), typing = typing() }
end

---@param origin botglue.Origin
local function forget(origin)
  local mark = origin.typing
  if mark then
    pcall(api.nvim_buf_del_extmark, mark.bufnr, namespace, mark.id)
  end
end

--- The user is about to go to the prompt from here, maybe out of another tab page.
function Back:from_here()
  forget(self.origin)
  self.origin = here()
end

--- Forgets the place after the prompt was closed.
function Back:forget()
  forget(self.origin)
end

--- Insert mode is over.
function M.go_on()
  local prompt = connection.prompt
  local ok, err = pcall(prompt and prompt.after or function() end)
  if not ok then
    notify.error(tostring(err))
  end
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
---@param close fun(win: integer) goes to the window, if it is still there
function Back:go(close)
  local win, mark = self.origin.win, self.origin.typing
  local cursor = api.nvim_win_is_valid(win) and api.nvim_win_get_cursor(win)
  close(win)
  if not cursor or api.nvim_get_current_win() ~= win then
    return
  end
  local bufnr = api.nvim_win_get_buf(win)
  local is_typing = mark and mark.bufnr == bufnr
  local at = is_typing and api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark.id, {}) or {}
  if #at == 0 then
    pcall(api.nvim_win_set_cursor, win, cursor)
    return
  end
  local row, col = unpack(at)
  local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  pcall(api.nvim_win_set_cursor, win, { row + 1, col })
  vim.cmd.startinsert({ bang = col >= #line })
end

--- The user is where a prompt is asked for.
---@return botglue.Back
function M.new()
  return setmetatable({ origin = here() }, Back)
end

return M
