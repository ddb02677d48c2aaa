--- Drafts: unsent prompts are kept until they are sent or emptied. The prompt offers a draft where it was typed, and
--- `<C-p>` recalls it everywhere. The host stores it while it is typed, so that it survives Neovim.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

local MOST = 50 -- drafts; the oldest are removed

---@class botglue.PromptDraft
---@field id integer its number in the store
---@field text string
---@field at_ms integer when it was changed last
---@field told string? the text that a host knows
---@field told_to botglue.Process? that host
---@field bufnr integer? this and the rest: once its prompt is closed
---@field first integer?
---@field last integer?
---@field agent string?
---@field model (string|false)?

---@return integer time since 1970, microseconds
local function now()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds * 1000000 + microseconds
end

---@return botglue.PromptDraft
function M.new()
  -- The time distinguishes it from drafts of an earlier Neovim with the same process id.
  local id = now()
  return { id = id, text = "", at_ms = math.floor(id / 1000) }
end

--- Tells the host, if there is one and it does not know.
---@param draft botglue.PromptDraft
local function tell(draft)
  local process, text = connection.process, draft.text:find("%S") and draft.text or nil
  local known = draft.told_to and draft.told_to == process
  if not process or connection.leaving or known and draft.told == text or not (draft.told_to or text) then
    return
  end
  draft.told, draft.told_to = text, process
  process:notify("unsent", { id = draft.id, at_ms = draft.at_ms, text = text })
end

--- Tells the host all that it does not know: it is a new one, or Neovim ends.
function M.tell_all()
  for _, draft in ipairs(connection.drafts) do
    tell(draft)
  end
  local prompt = connection.prompt
  if prompt then
    prompt:save()
  end
end

--- Changes the text of a draft.
---@param draft botglue.PromptDraft
---@param text string
function M.write(draft, text)
  if text ~= draft.text then
    draft.text, draft.at_ms = text, math.floor(now() / 1000)
  end
  tell(draft)
end

--- Takes the newest draft for these lines of a buffer.
---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.PromptDraft?
function M.take(bufnr, first, last)
  local drafts = connection.drafts
  for i = #drafts, 1, -1 do
    local draft = drafts[i]
    if draft.bufnr == bufnr and draft.first <= last and draft.last >= first then
      return table.remove(drafts, i)
    end
  end
end

--- Sends a draft to the host; starts a host if none runs.
---@param draft botglue.PromptDraft
---@param options botglue.Options
local function tell_surely(draft, options)
  if not connection.leaving then
    client.connect(options)
    tell(draft)
  end
end

--- Starts another host where the one that knew of a draft is gone: no host knows what is typed since.
---@param draft botglue.PromptDraft
---@param options botglue.Options
function M.tell_next(draft, options)
  if draft.told_to and not connection.process then
    tell_surely(draft, options)
  end
end

--- Keeps a draft whose prompt is closed, if there is anything in it.
---@param draft botglue.PromptDraft
---@param options botglue.Options
function M.keep(draft, options)
  local drafts = connection.drafts
  if draft.text:find("%S") then
    drafts[#drafts + 1] = draft
    if #drafts > MOST then
      table.remove(drafts, 1)
    end
  elseif not draft.told then
    return
  end
  tell_surely(draft, options)
end

--- A draft is sent as this text: removes it, and all drafts with the same text. The store forgets them once it has the
--- job.
---@param draft botglue.PromptDraft
---@param text string
---@param options botglue.Options
function M.sent(draft, text, options)
  draft.text = text
  tell_surely(draft, options)
  connection.drafts = vim.tbl_filter(function(one)
    return vim.trim(one.text) ~= text
  end, connection.drafts)
end

return M
