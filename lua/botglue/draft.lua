--- What the user made of a held answer in the review: kept with its job, and by the host in the store, until the answer
--- is decided. So it is there again in the next review, also in another Neovim after a crash of this one.

local client = require("botglue.client")

local M = {}

local BYTES = "\239\183\144" -- U+FDD0, which is no character: what follows are bytes in base64

--- Why an answer is not accepted with what is around it.
M.AROUND = "text around the answer was changed: dp keeps, u undoes it"

---@class botglue.Draft
---@field lines string[]? the answer
---@field rows string[]? the rows that it stands in, where what is beside it in them was changed too
---@field above string[]? the text above it, where that was changed
---@field below string[]? the text below it, where that was changed
---@field beside string[]? what was around a part in the buffer then, as `parts.beside` has it

--- Whether there is more than an answer in it: text around the answer was changed.
---@param draft botglue.Draft?
---@return boolean
function M.has_more(draft)
  return draft ~= nil and (draft.lines == nil or draft.above ~= nil or draft.below ~= nil)
end

--- Whether a row is well-formed UTF-8.
---@param row string
---@return boolean
local function is_utf8(row)
  local rest = row
    :gsub("[\194-\223][\128-\191]", " ")
    :gsub("[\224-\239][\128-\191][\128-\191]", " ")
    :gsub("[\240-\244][\128-\191][\128-\191][\128-\191]", " ")
  -- Overlong forms, surrogates, and what is beyond the last character.
  local is_odd = row:find("\224[\128-\159]") or row:find("\237[\160-\191]")
  is_odd = is_odd or row:find("\240[\128-\143]") or row:find("\244[\144-\191]")
  return not is_odd and not rest:find("[\128-\255]")
end

--- A row as the store has it: that takes only UTF-8, and a file may hold any bytes.
---@param row string
---@return string
local function stored(row)
  local is_kept = is_utf8(row) and not vim.startswith(row, BYTES)
  return is_kept and row or BYTES .. vim.base64.encode(row)
end

---@param row string
---@return string
local function recalled(row)
  return vim.startswith(row, BYTES) and vim.base64.decode(row:sub(#BYTES + 1)) or row
end

--- A draft as the store had it.
---@param draft table<string, string[]>?
---@return botglue.Draft?
function M.recall(draft)
  return draft and vim.tbl_map(function(rows)
    return vim.tbl_map(recalled, rows)
  end, draft)
end

--- Tells a host.
---@param process botglue.Process
---@param job botglue.Job
local function tell(process, job)
  job.draft_told_to = process
  local draft = job.draft
    and vim.tbl_map(function(rows)
      return vim.tbl_map(stored, rows)
    end, job.draft)
  process:notify("draft", { id = job.id, draft = draft })
end

--- Tells a new host what the last one may not have kept.
---@param process botglue.Process
function M.tell_again(process)
  for _, job in pairs(client.connection().held) do
    if job.draft then
      tell(process, job)
    end
  end
end

--- Keeps a draft, in place of the one before.
---@param job botglue.Job
---@param draft botglue.Draft? nil: the answer is as it was
function M.keep(job, draft)
  local told = job.draft_told_to == client.connection().process
  if vim.deep_equal(draft, job.draft) and (told or not draft) then
    return
  end
  job.draft, job.draft_told_to = draft, nil
  local process = client.connect(job.options)
  if process and job.draft_told_to ~= process then
    tell(process, job)
  end
end

return M
