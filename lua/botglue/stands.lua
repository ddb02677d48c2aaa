--- Tells the store how the text of a job stands whenever its file is written: tomorrow the text is all that its
--- session is known by, and the user may have changed it since the answer landed.

local M = {}

local api = vim.api
local GROUP = "botglue.stands"

--- Tells of what stands differently than the store knows.
---@param bufnr integer
local function tell(bufnr)
  local choose, client = require("botglue.choose"), require("botglue.client")
  for _, job in ipairs(choose.all(choose.wrote)) do
    local range = job.range
    if range.bufnr == bufnr then
      local place, _, now = range:look()
      if place and now and not vim.deep_equal(now.rows, job.stood or range:expected().rows) then
        job.stood = now.rows
        client.stands(job)
      end
    end
  end
end

--- From now on it is told what becomes of what landed in a buffer.
---@param bufnr integer
function M.watch(bufnr)
  local group = api.nvim_create_augroup(GROUP, { clear = false })
  if #api.nvim_get_autocmds({ group = group, event = "BufWritePost", buffer = bufnr }) > 0 then
    return
  end
  api.nvim_create_autocmd("BufWritePost", {
    group = group,
    buffer = bufnr,
    desc = "botglue: what jobs wrote stands like this now",
    callback = function()
      tell(bufnr)
    end,
  })
end

return M
