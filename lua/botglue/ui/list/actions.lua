--- What is done with the job of a row. One of this Neovim is that job, with its range as it is now; of any other the
--- store tells all that is needed.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local fail = require("botglue.host.errors").fail

local M = {}

--- What an action does, where one is chosen.
---@param action string
---@return string
function M.words(action)
  return connection.words.actions[action].does
end

--- Does it.
---@param action string
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.act(action, row, float)
  local job = row.job and client.job(row.job)
  local of_job = job and require("botglue.ui.list.own")[action]
  if of_job then
    of_job(job, float)
    return
  end
  local impossible = connection.words.actions[action].impossible
  if impossible and not vim.list_contains(row.actions, action) then
    fail(impossible)
  else
    require("botglue.ui.list.stored")[action](row, float)
  end
end

return M
