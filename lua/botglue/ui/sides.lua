--- The two windows of a review, in a tab page of their own: left the buffer, right the answer's side, both in diff mode
--- where the place of the answer is known. Knows no keys; what closing them means is the review's.

local M = {}

local api = vim.api

---@class botglue.Sides
---@field left integer window
---@field right integer window
---@field buffer integer what the left one shows
---@field answer integer the buffer of the right one
---@field last_position integer[] the mark '" of the left buffer, which showing it there moves
local Sides = {}
Sides.__index = Sides

--- The buffer of the left side: the job's, else what it was made for.
---@param range botglue.Range
---@return integer
local function buffer_of(range)
  if api.nvim_buf_is_loaded(range.bufnr) then
    return range.bufnr
  end
  local base = require("botglue.ui.scratch").make()
  api.nvim_buf_set_lines(base, 0, -1, false, range.base.text)
  vim.bo[base].modifiable = false
  return base
end

--- Whether both sides are still shown.
---@return boolean
function Sides:are_shown()
  local function shows(win, bufnr)
    return api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr
  end
  return shows(self.left, self.buffer) and shows(self.right, self.answer)
end

--- Shows the answer in both windows, and what differs.
---@param place botglue.Extent
---@param side botglue.Side
function Sides:compare(place, side)
  local function go_to(win, row)
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
    api.nvim_win_set_cursor(win, { math.min(row + 1, last), 0 })
  end
  go_to(self.left, place.first)
  go_to(self.right, (side:rows()))
  for _, win in ipairs({ self.left, self.right }) do
    api.nvim_win_call(win, function()
      vim.cmd.diffthis()
    end)
  end
  vim.cmd("normal! zz")
end

--- Compares both sides again where the buffer was unloaded and read again in its window, which ends diff mode there.
function Sides:compare_again()
  if not self:are_shown() then
    return
  end
  for _, win in ipairs({ self.left, self.right }) do
    if not vim.wo[win].diff then
      api.nvim_win_call(win, vim.cmd.diffthis)
    end
  end
end

--- The line above both windows.
---@param left string
---@param right string
function Sides:title(left, right)
  for win, title in pairs({ [self.left] = left, [self.right] = right }) do
    if api.nvim_win_is_valid(win) then
      vim.wo[win][0].winbar = title
    end
  end
end

--- Whether a window is one of these.
---@param win integer
---@return boolean
function Sides:have(win)
  return win == self.left or win == self.right
end

--- Goes to the answer, if both sides are still shown.
---@return boolean
function Sides:show_answer()
  local are_shown = self:are_shown()
  if are_shown then
    api.nvim_set_current_win(self.right)
  end
  return are_shown
end

--- Whether a window is in the tab page of these.
---@param win integer
---@return boolean
function Sides:is_around(win)
  local is_valid = api.nvim_win_is_valid(self.left)
  return is_valid and api.nvim_win_get_tabpage(self.left) == api.nvim_win_get_tabpage(win)
end

--- Takes away what makes a window one of these: who shows its buffer next would have it, too.
---@param win integer
local function undress(win)
  api.nvim_win_call(win, function()
    vim.cmd.diffoff()
    vim.wo[0][0].winbar = ""
  end)
end

--- A window that was split off one of these is not one of them, though it has its options.
---@param win integer
function Sides:leave_out(win)
  local function is_copy_of(own)
    return api.nvim_win_is_valid(own)
      and vim.wo[own].winbar ~= ""
      and vim.wo[own].winbar == vim.wo[win].winbar
  end
  if not self:have(win) and (is_copy_of(self.left) or is_copy_of(self.right)) then
    undress(win)
  end
end

--- Closes what floats over the windows of another tab page: Neovim before 0.12 crashes where they are closed before.
---@param win integer one of that tab page
local function close_floats(win)
  local tab = api.nvim_win_is_valid(win) and api.nvim_win_get_tabpage(win)
  if not tab or tab == api.nvim_get_current_tabpage() then
    return
  end
  for _, each in ipairs(api.nvim_tabpage_list_wins(tab)) do
    if api.nvim_win_is_valid(each) and api.nvim_win_get_config(each).relative ~= "" then
      api.nvim_win_close(each, true)
    end
  end
end

--- Closes the windows, as far as they are still there, and leaves nothing of them to the next ones. Where the user
--- shows something else in the right one, both stay.
---@param kept integer? a window that stays
function Sides:close(kept)
  local bufnr = api.nvim_win_is_valid(self.left) and api.nvim_win_get_buf(self.left)
  local stay = api.nvim_win_is_valid(self.right) and api.nvim_win_get_buf(self.right) ~= self.answer
  close_floats(self.left)
  for _, win in ipairs({ self.right, self.left }) do
    if api.nvim_win_is_valid(win) then
      undress(win)
    end
    if api.nvim_win_is_valid(win) and not stay and win ~= kept and #api.nvim_list_wins() > 1 then
      api.nvim_win_close(win, true)
    end
  end
  if bufnr and api.nvim_buf_is_loaded(bufnr) and self.last_position[1] > 0 then
    pcall(api.nvim_buf_set_mark, bufnr, '"', self.last_position[1], self.last_position[2], {})
  end
end

--- Splits the window; where there is no room for that, goes back to the tab page that it began in.
---@param command string
---@param tab integer
local function split(command, tab)
  if pcall(vim.cmd, command) then
    return
  elseif api.nvim_get_current_tabpage() ~= tab then
    vim.cmd.tabclose()
  end
  error("botglue: there is no room for the review: enlarge the screen", 0)
end

--- Opens the windows on the side of an answer, and goes into that.
---@param side botglue.Side
---@return botglue.Sides
function M.open(side)
  local range = side.job.range
  local place = side.known and range:place()
  local tab = api.nvim_get_current_tabpage()
  split("tab split", tab)
  local self = setmetatable({ left = api.nvim_get_current_win(), answer = side.bufnr }, Sides)
  local bufnr = buffer_of(range)
  self.buffer, self.last_position = bufnr, api.nvim_buf_get_mark(bufnr, '"')
  api.nvim_win_set_buf(self.left, bufnr)
  split("rightbelow vertical split", tab)
  self.right = api.nvim_get_current_win()
  api.nvim_win_set_buf(self.right, side.bufnr)
  if place then
    self:compare(place, side)
  end
  return self
end

return M
