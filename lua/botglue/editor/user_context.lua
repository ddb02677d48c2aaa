--- Where the user is, and what they do there: whoever has asked for a window and gets it a moment later, because a
--- store or an agent had to answer first, may be somewhere else by then, and their keys are meant for that.

local M = {}

local api = vim.api

---@class botglue.Whereabouts where the user is, as far as it tells whether they have gone on
---@field win integer
---@field mode string
---@field cursor integer[]
---@field tick integer

---@return botglue.Whereabouts
function M.now()
  return {
    win = api.nvim_get_current_win(),
    mode = api.nvim_get_mode().mode,
    cursor = api.nvim_win_get_cursor(0),
    tick = api.nvim_buf_get_changedtick(0),
  }
end

--- Whether Neovim is in the middle of nothing. The command-line window takes no other window.
---@return boolean
local function is_free()
  return vim.fn.state():find("[^sx]") == nil and vim.fn.getcmdwintype() == ""
end

--- Whether a window may be opened, and it would not be in the way of what is being typed.
---@return boolean
function M.is_idle()
  return api.nvim_get_mode().mode == "n" and is_free()
end

--- Tells where the user is once nothing is under way any more, and Neovim waits for them.
---@param fn fun(whereabouts: botglue.Whereabouts)
function M.once_waiting(fn)
  api.nvim_create_autocmd("SafeState", {
    once = true,
    desc = "botglue: where the question was asked",
    callback = function()
      fn(M.now())
    end,
  })
end

return M
