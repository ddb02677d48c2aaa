--- The extmarks by which the place of a job is drawn. They move as Neovim moves them; where the range really is the
--- host's document knows, and it says where they have to go instead (`apply.places`). Nothing here compares text.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.range")
local highlights = api.nvim_create_namespace("botglue.highlight")

-- A range has the text colour that its background is made for: above those of the syntax, below diagnostics.
local PRIORITY = 130

---@class botglue.Marks
---@field bufnr integer
---@field shape "line"|"char"|"block"|"insert" what they are set around
---@field ids integer[]
---@field shown integer[] of the highlighted text
---@field is_empty boolean whether the part that they mark was empty
local Marks = {}
Marks.__index = Marks

--- Gravity inward, so that the marks of neighbours do not mix.
---@param bufnr integer
---@param row integer
---@param col integer
---@param end_row integer
---@param end_col integer
---@return integer id
local function around(bufnr, row, col, end_row, end_col)
  return api.nvim_buf_set_extmark(bufnr, namespace, row, col, {
    end_row = end_row,
    end_col = end_col,
    right_gravity = true,
    end_right_gravity = false,
  })
end

---@param bufnr integer
---@param row integer
---@return string
local function get_row(bufnr, row)
  return api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
end

---@param bufnr integer
---@param place botglue.Extent
---@param shape string
---@return integer[] ids
local function set(bufnr, place, shape)
  local first, last = place.first, place.last
  if shape == "insert" then
    -- Left gravity: lines that are opened below the row above stay below the answer.
    return { api.nvim_buf_set_extmark(bufnr, namespace, first, 0, { right_gravity = false }) }
  elseif shape == "char" then
    return { around(bufnr, first, place.from, last, place.to) }
  elseif shape == "block" then
    local ids = {}
    for i, span in ipairs(place.spans) do
      ids[i] = around(bufnr, first + i - 1, span[1], first + i - 1, span[2])
    end
    return ids
  end
  return { around(bufnr, first, 0, last, #get_row(bufnr, last)) }
end

--- Sets marks around a place.
---@param bufnr integer a loaded buffer
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
---@return botglue.Marks
function M.set(bufnr, place, shape)
  local is_empty = shape == "char" and place.first == place.last and place.from == place.to
  local ids = set(bufnr, place, shape)
  return setmetatable({ bufnr = bufnr, shape = shape, ids = ids, shown = {}, is_empty = is_empty }, Marks)
end

---@param index integer
---@return { row: integer, col: integer, end_row: integer, end_col: integer }?
function Marks:get(index)
  if not api.nvim_buf_is_loaded(self.bufnr) then
    return nil
  end
  local mark = api.nvim_buf_get_extmark_by_id(self.bufnr, namespace, self.ids[index], { details = true })
  if #mark == 0 then
    return nil
  end
  local details = mark[3]
  return {
    row = mark[1],
    col = mark[2],
    end_row = details.end_row or mark[1],
    end_col = details.end_col or mark[2],
  }
end

--- Where the rows of a block are, one below the other.
---@return botglue.Extent?
function Marks:block()
  local first, spans = nil, {}
  for i in ipairs(self.ids) do
    local at = self:get(i)
    first = first or at and at.row
    if not at or at.row ~= first + i - 1 or at.end_row ~= at.row or at.end_col < at.col then
      return nil
    end
    spans[i] = { at.col, at.end_col }
  end
  return { first = first, last = first + #spans - 1, spans = spans }
end

--- Where they are now; nil where no text is left between them. Of lines only the rows count: who types over one, or
--- behind it, is in it.
---@return botglue.Extent?
function Marks:place()
  if self.shape == "block" then
    return self:block()
  end
  local at = self:get(1)
  if not at then
    return nil
  elseif self.shape == "insert" then
    -- Undo may leave a mark behind the last row.
    local row = math.min(at.col == 0 and at.row or at.row + 1, api.nvim_buf_line_count(self.bufnr))
    return { first = row, last = row }
  end
  local is_part = self.shape == "char"
  local is_turned = at.end_row < at.row or is_part and at.row == at.end_row and at.end_col < at.col
  local is_gone = is_part and not self.is_empty and at.row == at.end_row and at.col == at.end_col
  if is_turned or is_gone or at.end_row >= api.nvim_buf_line_count(self.bufnr) then
    return nil
  end
  return {
    first = at.row,
    last = at.end_row,
    from = is_part and at.col or nil,
    to = is_part and at.end_col or nil,
  }
end

--- Shows the text between them in a highlight group; without one as it is.
---@param group string?
function Marks:show(group)
  for _, id in ipairs(self.shown) do
    pcall(api.nvim_buf_del_extmark, self.bufnr, highlights, id)
  end
  self.shown = {}
  local place = group and self.shape ~= "insert" and self:place() or { spans = {} }
  -- Lines are shown to the edge of the window: to the start of the row below.
  local is_part = place.spans or place.from
  for i, span in ipairs(place.spans or { { place.from or 0, place.to or 0 } }) do
    local row = place.first + i - 1
    self.shown[i] = api.nvim_buf_set_extmark(self.bufnr, highlights, row, span[1], {
      end_row = place.spans and row or is_part and place.last or place.last + 1,
      end_col = span[2],
      end_right_gravity = false,
      hl_group = group,
      hl_eol = not is_part,
      hl_mode = "combine",
      priority = PRIORITY,
    })
  end
end

--- Takes them away. The buffer may be gone.
function Marks:clear()
  self:show()
  for _, id in ipairs(self.ids) do
    pcall(api.nvim_buf_del_extmark, self.bufnr, namespace, id)
  end
  self.ids = {}
end

return M
