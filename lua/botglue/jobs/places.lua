local connection = require("botglue.host.connection")

local api = vim.api

--- Where the jobs of this Neovim are.
---@param bufnr integer? those in this buffer alone
---@return table[]
return function(bufnr)
  local found = {}
  for id, job in pairs(connection.jobs) do
    local range = job.range
    if not bufnr or range.bufnr == bufnr then
      local first, last = range:lines()
      local place = range:place()
      local column = place and (place.from or place.spans and place.spans[1][1] or 0)
      local is_loaded = api.nvim_buf_is_loaded(range.bufnr)
      if column and column > 0 then
        -- The cursor cannot be behind the last character.
        local row = api.nvim_buf_get_lines(range.bufnr, first - 1, first, false)[1] or ""
        column = math.max(math.min(column, #row - 1), 0)
      end
      local buffer = is_loaded and range.bufnr or nil
      found[#found + 1] = { id = id, buffer = buffer, first = first, last = last, column = column }
    end
  end
  return found
end
