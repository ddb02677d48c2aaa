--- What is done with the job of a row. One of this Neovim is that job, with its range as it is now; of any other the
--- store tells all that is needed.

local client = require("botglue.host.client")
local fail = require("botglue.host.errors").fail

local M = {}

--- The words for each action where they are chosen.
M.WORDS = {
  jump = "jump to its place",
  review = "review the answer",
  prompt = "show the prompt",
  diff = "compare both texts",
  again = "land again",
  retry = "retry",
  followup = "follow up",
  open = "open the session",
  transcript = "show the transcript",
}

--- Why an action is not possible with a job of the store.
local IMPOSSIBLE = {
  diff = "this job has no answer",
  again = "this job has no answer that can land",
  review = "this job is not held",
  transcript = "no transcript of this job is kept: the newest 200 are, where the option record is on",
}

--- Does it.
---@param action string
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.act(action, row, float)
  local job = row.job and client.job(row.job)
  local of_job = job and require("botglue.ui.act")[action]
  if of_job then
    of_job(job, float)
  elseif IMPOSSIBLE[action] and not vim.list_contains(row.actions, action) then
    fail(IMPOSSIBLE[action])
  else
    require("botglue.ui.list.stored")[action](row, float)
  end
end

return M
