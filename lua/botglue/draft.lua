--- What the user made of a held answer in the review: kept with its job, and by the host in the store, until the answer
--- is decided. So it is there again in the next review, also in another Neovim after a crash of this one.

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

--- Tells a host.
---@param process botglue.Process
---@param job botglue.Job
local function tell(process, job)
  job.draft_told_to = process
  process:notify("draft", { id = job.id, draft = job.draft })
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
