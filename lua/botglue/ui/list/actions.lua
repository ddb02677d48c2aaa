--- The actions on the job of a row. For a job of this Neovim they use the job itself, with its current range; for any
--- other they use the store.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local fail = require("botglue.host.errors").fail

local M = {}

--- The words of an action in a picker.
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
