--- Starts jobs for specs that check how a running job is displayed.

local M = {}

--- Has the agent of a job call tools, and waits until they can be seen.
---@param statuses ("ok"|"error"|"running")[] how far each comes
---@param id integer? without it job 1
function M.use_tools(nvim, statuses, id)
  id = id or 1
  local count = #nvim:job(id).tools
  for i, status in ipairs(statuses) do
    local call = nvim:agent(id, "call", "Read", { file_path = tostring(count + i) })
    if status ~= "running" then
      nvim:agent(id, "result", call, "what came of it", status == "error")
    end
  end
  nvim:eventually(
    ("the tools of job %d have come"):format(id),
    [[
      local id, count, status = ...
      local tools = require("botglue").job(id).tools
      return #tools == count and tools[count].status == status
    ]],
    id,
    count + #statuses,
    statuses[#statuses]
  )
  nvim:ticks(2)
end

function M.numbered(count)
  local lines = {}
  for i = 1, count do
    lines[i] = "line " .. i
  end
  return lines
end

--- What must not move: the cursor, the top line and the mode.
function M.view(nvim)
  return nvim:lua([[
    local view = vim.fn.winsaveview()
    return { view.lnum, view.col, view.topline, view.topfill, vim.api.nvim_get_mode().mode }
  ]])
end

return M
