--- What was typed and not sent: kept until it is sent or emptied, offered where it was typed, recalled everywhere.

local client = require("botglue.client")

local M = {}

local MOST = 50 -- drafts; the oldest give way

---@class botglue.Draft
---@field bufnr integer
---@field first integer
---@field last integer
---@field text string
---@field agent string
---@field model string|false

---@return botglue.Draft[] oldest first
function M.all()
  return client.connection().drafts
end

---@param draft botglue.Draft
local function forget(draft)
  local drafts = M.all()
  for i, one in ipairs(drafts) do
    if one == draft then
      table.remove(drafts, i)
      return
    end
  end
end

--- Takes the newest draft for these lines of a buffer.
---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Draft?
function M.take(bufnr, first, last)
  local drafts = M.all()
  for i = #drafts, 1, -1 do
    local draft = drafts[i]
    if draft.bufnr == bufnr and draft.first <= last and draft.last >= first then
      forget(draft)
      return draft
    end
  end
end

--- Keeps a draft, if there is anything in it.
---@param draft botglue.Draft
function M.keep(draft)
  if not draft.text:find("%S") then
    return
  end
  local drafts = M.all()
  drafts[#drafts + 1] = draft
  if #drafts > MOST then
    table.remove(drafts, 1)
  end
end

--- A draft that was sent from somewhere else is none any more.
---@param text string
function M.sent(text)
  for _, draft in ipairs(vim.list_extend({}, M.all())) do
    if vim.trim(draft.text) == text then
      forget(draft)
    end
  end
end

return M
