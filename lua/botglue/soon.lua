--- What happens often and has to be answered once: in the next tick, when what happens now is over.

local M = {}

--- A function that may be called at any time, in a fast event too: `fn` is called in the next tick, once for all calls
--- until then.
---@param fn fun()
---@return fun()
function M.once(fn)
  local pending = false
  return function()
    if pending then
      return
    end
    pending = true
    vim.schedule(function()
      pending = false
      fn()
    end)
  end
end

return M
