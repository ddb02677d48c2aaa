--- Drafts: what was typed in prompts that were closed. The next prompt at that place goes on with it; the host stores
--- it, and recalls it everywhere.

local connection = require("botglue.host.connection")

local M = {}

local MOST = 50

---@class botglue.PromptDraft
---@field id integer of the prompt, which no other has, also of another Neovim: when it opened, in microseconds
---@field text string
---@field chosen botglue.PromptChoice?
---@field bufnr integer?
---@field first integer?
---@field last integer?

--- Keeps a draft with some words for the next prompt at a range.
---@param range botglue.Range
---@param draft botglue.PromptDraft
function M.keep(range, draft)
  if draft.text:find("%S") then
    draft.bufnr, draft.first, draft.last = range.bufnr, range:lines()
    table.insert(connection.drafts, draft)
    if #connection.drafts > MOST then
      table.remove(connection.drafts, 1)
    end
  end
end

--- Takes the newest draft for these lines, else a new one.
---@param range botglue.Range
---@return botglue.PromptDraft
function M.take(range)
  local first, last = range:lines()
  for i = #connection.drafts, 1, -1 do
    local draft = connection.drafts[i]
    if draft.bufnr == range.bufnr and draft.first <= last and draft.last >= first then
      return table.remove(connection.drafts, i)
    end
  end
  local seconds, microseconds = vim.uv.gettimeofday()
  return { id = seconds * 1000000 + microseconds, text = "" }
end

--- A prompt is sent: forgets all drafts with its text.
---@param prompt string
function M.forget(prompt)
  connection.drafts = vim.tbl_filter(function(draft)
    return vim.trim(draft.text) ~= prompt
  end, connection.drafts)
end

return M
