--- A deadline for what the host has to do. Only time in which Neovim takes messages counts: at a prompt for Enter the
--- host's messages wait for the user, so the clock must not blame the host.

local M = {}

local STEPS = 10

--- Calls `passed` once Neovim has taken messages for that long without a break. Closing the timer takes that back.
---@param within integer milliseconds
---@param passed fun()
---@return uv.uv_timer_t
function M.start(within, passed)
  local timer = assert(vim.uv.new_timer())
  local step = math.max(1, math.floor(within / STEPS))
  local left, takes_messages = STEPS, true
  timer:start(step, step, function()
    if not takes_messages then
      left = STEPS
      return
    end
    left = left - 1
    if left == 0 then
      timer:close()
      vim.schedule(passed)
      return
    end
    takes_messages = false
    vim.schedule(function()
      takes_messages = true
    end)
  end)
  return timer
end

--- Takes a deadline back, passed or not.
---@param timer uv.uv_timer_t
function M.stop(timer)
  if not timer:is_closing() then
    timer:close()
  end
end

return M
