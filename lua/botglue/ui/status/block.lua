--- Places the rows below a range, so that nothing of the user's moves when they appear.
---
--- They are virtual lines below the range's last row, or below the closed fold with it. If the window ends there, or if
--- they would push the cursor out of the window, the first of them is drawn beside the last visible row of the range. A
--- block keeps its height until there is room for a higher one.

local text = require("botglue.util.text")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.status")

local LEAST = 12 -- cells beside a row
local PRIORITY = 100

---@class botglue.Block
---@field bufnr integer
---@field mark integer? of the rows below
---@field rows [string, string][][]? which they are
---@field drawn string? what the screen shows there
---@field aside integer? the mark of the text beside a row
---@field drawn_aside string?
---@field refused string? the view that a higher block would have moved
local Block = {}
Block.__index = Block

---@param bufnr integer
---@return botglue.Block
function M.new(bufnr)
  return setmetatable({ bufnr = bufnr }, Block)
end

--- Whether any of it is drawn.
---@return boolean
function Block:is_drawn()
  return self.mark ~= nil or self.aside ~= nil
end

---@param mark integer?
---@return integer? row from 0
function Block:row_of(mark)
  return mark and api.nvim_buf_get_extmark_by_id(self.bufnr, namespace, mark, {})[1]
end

--- The row of the buffer that the rows hang on, from 0.
---@return integer?
function Block:row()
  return self:row_of(self.mark)
end

---@return integer
function Block:height()
  return self.rows and #self.rows or 0
end

---@class botglue.Anchor
---@field row integer from 0
---@field above boolean

--- The anchor of rows below a line.
---@param lnum integer
---@param window botglue.Window?
---@return botglue.Anchor
function M.anchor(lnum, window)
  local fold_end = window and windows.fold_end(window, lnum)
  if fold_end then
    -- What hangs on a line in a fold is folded away with it.
    return { row = fold_end, above = true }
  end
  return { row = lnum - 1, above = false }
end

---@param at botglue.Anchor
---@param rows [string, string][][]
function Block:hang(at, rows)
  self.mark = api.nvim_buf_set_extmark(self.bufnr, namespace, at.row, 0, {
    id = self.mark,
    virt_lines = rows,
    virt_lines_above = at.above,
    priority = PRIORITY,
  })
end

--- The number of rows that may be added above the cursor: none while the user types or selects, else as many as the
--- window has room for without scrolling.
---@param window botglue.Window
---@return integer
local function rows_to_spare(window)
  if not api.nvim_get_mode().mode:find("^[nc]") then
    return 0
  end
  local ending = windows.end_of(window, vim.fn.line("."))
  local _, bottom = windows.rows(window)
  return ending and bottom - vim.o.scrolloff - ending or 0
end

--- Hangs up more rows than there are, unless the window would scroll to keep the cursor in it.
---@param at botglue.Anchor
---@param rows [string, string][][]
---@param window botglue.Window? the one where the user is, if it shows the buffer
---@return boolean grown
function Block:grow(at, rows, window)
  if not window then
    self:hang(at, rows)
    return true
  end
  local before, spare = vim.fn.winline(), math.max(rows_to_spare(window), 0)
  local situation = ("%d %d %d"):format(before, spare, vim.fn.line("."))
  if self.refused == situation then
    return false
  end
  self:hang(at, rows)
  local pushed = vim.fn.winline() - before
  if pushed <= spare then
    self.refused = nil
    return true
  end
  if self.rows then
    self:hang(at, self.rows)
  else
    api.nvim_buf_del_extmark(self.bufnr, namespace, self.mark)
    self.mark = nil
  end
  self.refused = situation
  return false
end

---@param rows [string, string][][]
---@return string
local function text_of(rows)
  return table.concat(vim.tbl_map(text.of_chunks, rows), "\n")
end

--- Puts rows below a line.
---@param lnum integer
---@param rows [string, string][][]
---@param shown botglue.Window[] the windows that show the buffer
---@param main botglue.Window? the one that counts where they differ
function Block:below(lnum, rows, shown, main)
  local at = M.anchor(lnum, main)
  if self.mark and #rows > self:height() or not self.mark then
    local user = vim.tbl_filter(function(window)
      return window.current
    end, shown)[1]
    if not self:grow(at, rows, user) then
      rows = vim.list_slice(rows, 1, self:height())
    end
    self.drawn = nil
  end
  if not self.mark then
    return
  end
  local drawn = text_of(rows) .. "\n" .. at.row
  if drawn ~= self.drawn or self:row() ~= at.row then
    self:hang(at, rows)
    self.rows, self.drawn = rows, drawn
  end
end

--- Whether the first of the rows is seen in a window.
---@param lnum integer the line that they are below
---@param window botglue.Window
---@return boolean
function Block:is_seen(lnum, window)
  local row = windows.end_of(window, lnum)
  local _, bottom = windows.rows(window)
  return self.mark ~= nil and row ~= nil and row < bottom
end

--- How many cells there are for a text beside a line: at its end, or else at the edge of the window.
---@param window botglue.Window
---@param lnum integer
---@return integer cells
---@return boolean is_free whether the line leaves them free
function M.room(window, lnum)
  local _, free = windows.width_of(window, lnum)
  if free > LEAST then
    return free - 1, true
  end
  return LEAST, false
end

--- Shows a text beside a line, or at the edge of the window where the line leaves no room.
---@param lnum integer? none: no text
---@param window botglue.Window
---@param chunks [string, string][]?
function Block:beside(lnum, window, chunks)
  if not lnum or not chunks then
    self:clear_aside()
    return
  end
  local room, is_free = M.room(window, lnum)
  local opts = { id = self.aside, priority = PRIORITY, hl_mode = "combine", virt_text = chunks }
  if is_free then
    opts.virt_text_pos = "eol"
  elseif api.nvim_strwidth(text.of_chunks(chunks)) > room then
    -- It was made for more room: the host makes another one.
    self:clear_aside()
    return
  else
    local width = api.nvim_strwidth(text.of_chunks(opts.virt_text))
    opts.virt_text_win_col = math.max(windows.columns(window) - width, 0)
  end
  local drawn = ("%s\n%d %s"):format(text.of_chunks(opts.virt_text), lnum, opts.virt_text_win_col or "")
  if drawn ~= self.drawn_aside or self:row_of(self.aside) ~= lnum - 1 then
    self.aside = api.nvim_buf_set_extmark(self.bufnr, namespace, lnum - 1, 0, opts)
    self.drawn_aside = drawn
  end
end

function Block:clear_aside()
  if self.aside then
    pcall(api.nvim_buf_del_extmark, self.bufnr, namespace, self.aside)
    self.aside, self.drawn_aside = nil, nil
  end
end

--- Takes all of it away.
function Block:clear()
  self:clear_aside()
  if self.mark then
    pcall(api.nvim_buf_del_extmark, self.bufnr, namespace, self.mark)
    self.mark, self.rows, self.drawn = nil, nil, nil
  end
end

return M
