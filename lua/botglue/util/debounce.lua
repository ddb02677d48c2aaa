--- What happens often and has to be answered once: in the next tick, when what happens now is over.
---
--- A function that may be called at any time, in a fast event too: `fn` is called in the next tick, once for all calls
--- until then.
---@param fn fun()
---@return fun()
return function(fn)
  local is_pending = false
  return function()
    if is_pending then
      return
    end
    is_pending = true
    vim.schedule(function()
      is_pending = false
      fn()
    end)
  end
end
