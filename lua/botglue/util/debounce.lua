--- Calls a function once for many calls: in the next tick, or after a delay.
---
--- The returned function may be called at any time, also in a fast event. `fn` is called once for all calls until then.
---@param fn fun()
---@param after integer? milliseconds; without it, the next tick
---@return fun()
return function(fn, after)
  local is_pending = false
  local function call()
    is_pending = false
    fn()
  end
  return function()
    if is_pending then
      return
    end
    is_pending = true
    if after then
      vim.defer_fn(call, after)
    else
      vim.schedule(call)
    end
  end
end
