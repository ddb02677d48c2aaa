--- What the user made of a held answer in the review: kept with its job, and by the host in the store, until the answer
--- is decided. So it is there again in the next review, also in another Neovim after a crash of this one.

local bytes = require("botglue.bytes")
local client = require("botglue.client")

local M = {}

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

--- A draft as the store had it.
---@param kept table<string, string[]>?
---@return botglue.Draft? draft
---@return botglue.OnDisk? on_disk
function M.recall(kept)
  local draft = vim.tbl_map(bytes.from_text, kept or {})
  local on_disk = draft.disk_rows and { rows = draft.disk_rows, base = draft.disk_base }
  draft.disk_rows, draft.disk_base = nil, nil
  return next(draft) and draft, on_disk
end

--- Tells a host.
---@param process botglue.Process
---@param job botglue.Job
local function tell(process, job)
  job.draft_told_to = process
  local kept, on_disk = vim.tbl_extend("force", {}, job.draft or {}), job.on_disk or {}
  kept.disk_rows, kept.disk_base = on_disk.rows, on_disk.base
  process:notify("draft", { id = job.id, draft = next(kept) and vim.tbl_map(bytes.to_text, kept) })
end

--- Tells a new host what the last one may not have kept.
---@param process botglue.Process
function M.tell_again(process)
  for _, job in pairs(client.connection().held) do
    if job.draft or job.on_disk then
      tell(process, job)
    end
  end
end

--- Tells the host, a new one where that is gone: it is told of all then.
---@param job botglue.Job
local function tell_anew(job)
  job.draft_told_to = nil
  local process = client.connect(job.options)
  if process and job.draft_told_to ~= process then
    tell(process, job)
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
  job.draft = draft
  tell_anew(job)
end

--- Keeps how a held answer stands in its file, which was written.
---@param job botglue.Job
---@param on_disk botglue.OnDisk? nil: as it was sent
function M.keep_on_disk(job, on_disk)
  if not vim.deep_equal(on_disk, job.on_disk) then
    job.on_disk = on_disk
    tell_anew(job)
  end
end

return M
