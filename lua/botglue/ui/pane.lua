--- A pane below the rows of a floating window, in the same frame, for what does not fit into the row under the cursor.
--- It grows and never shrinks, so that nothing moves while the cursor goes through a list.

local rows_of = require("botglue.ui.rows").of

local M = {}

local api = vim.api

---@class botglue.Pane
---@field bufnr integer
---@field rows botglue.Rows
---@field height integer rows that it would like to have
---@field win integer?
local Pane = {}
Pane.__index = Pane

--- Shows rows.
---@param rows botglue.Chunks[]
---@return boolean grown whether it needs more room
function Pane:draw(rows)
  self.rows:draw(rows)
  if #rows <= self.height then
    return false
  end
  self.height = #rows
  return true
end

--- Takes its place below a window, and from that the footer and as many rows as the screen has too few.
---@param config vim.api.keyset.win_config of the window; it is changed
---@param corners string[] at the left and at the right of the line between the two
function Pane:dock(config, corners)
  local rows, border = vim.o.lines - vim.o.cmdheight - 2, config.border
  local height = math.max(math.min(self.height, rows - 2), 1)
  config.height = math.max(math.min(config.height, rows - height - 1), 1)
  config.row = math.max(math.min(config.row, rows - config.height - height - 1), 0)
  local own = {
    relative = "editor",
    row = config.row + config.height + 1,
    col = config.col,
    width = config.width,
    height = height,
    border = { corners[1], border[2], corners[2], border[4], border[5], border[6], border[7], border[8] },
    footer = config.footer,
    focusable = false,
  }
  config.border = { border[1], border[2], border[3], border[4], "", "", "", border[8] }
  config.footer = ""
  if self.win and api.nvim_win_is_valid(self.win) then
    api.nvim_win_set_config(self.win, own)
  else
    self.win = api.nvim_open_win(
      self.bufnr,
      false,
      vim.tbl_extend("force", own, { style = "minimal", noautocmd = true })
    )
    vim.wo[self.win][0].wrap = false
  end
end

function Pane:close()
  if self.win and api.nvim_win_is_valid(self.win) then
    pcall(api.nvim_win_close, self.win, true)
  end
  if api.nvim_buf_is_valid(self.bufnr) then
    pcall(api.nvim_buf_delete, self.bufnr, { force = true })
  end
end

---@return botglue.Pane
function M.new()
  local bufnr = require("botglue.ui.scratch").make()
  return setmetatable({ bufnr = bufnr, rows = rows_of(bufnr), height = 0 }, Pane)
end

return M
