--- The notice below the text of the prompt: why a job would fail, and why a key did nothing. It is drawn as virtual
--- lines, so the text does not contain it.

local text = require("botglue.util.text")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.prompt.notice")

---@class botglue.Notice
---@field obstacle string? why a job would fail
---@field hint { words: string, about: string }? why a key did nothing, and the prompt's text then
local Notice = {}
Notice.__index = Notice

--- Says why a key did nothing, until the text is another one.
---@param words string?
---@param about string
function Notice:say(words, about)
  self.hint = words and { words = words, about = about }
end

--- Words as rows, with a sign before the first one and blanks below it.
---@param sign string
---@param words string
---@param group string
---@param width integer
---@return botglue.Chunks[]
local function wrapped(sign, words, group, width)
  local indent = api.nvim_strwidth(sign)
  local lines = text.wrap(text.clean(words), math.max(width - indent, 1))
  for i, line in ipairs(lines) do
    lines[i] = { { (i == 1 and sign or (" "):rep(indent)) .. line, group } }
  end
  return lines
end

--- Draws it below the last row.
---@param bufnr integer of the prompt
---@param width integer cells that a row may take
---@return integer rows
function Notice:draw(bufnr, width)
  local lines = {}
  if self.hint and self.hint.about ~= table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, false), "\n") then
    self.hint = nil
  end
  if self.hint then
    vim.list_extend(lines, wrapped("", self.hint.words, "BotglueLabel", width))
  end
  if self.obstacle then
    local sign = require("botglue.util.signs").failed
    vim.list_extend(lines, wrapped(sign .. " ", self.obstacle, "BotglueFailure", width))
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  if #lines > 0 then
    local row = api.nvim_buf_line_count(bufnr) - 1
    local last = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
    -- It goes along with the end of the text, where a row is typed below.
    api.nvim_buf_set_extmark(bufnr, namespace, row, #last, { virt_lines = lines })
  end
  return #lines
end

---@return botglue.Notice
function M.new()
  return setmetatable({}, Notice)
end

return M
