-- Loaded into each Neovim of the tests: tells the test what the plugin announces and what the user is told.

local channel = vim.tbl_filter(function(candidate)
  return candidate.stream == "stdio"
end, vim.api.nvim_list_chans())[1].id

local function tell(name, value)
  vim.rpcnotify(channel, "botglue_test", name, value)
end

vim.api.nvim_create_autocmd("User", {
  pattern = "BotglueJob*",
  callback = function(event)
    tell(event.match, event.data)
  end,
})

-- As a plugin for notifications does it: nothing goes to the command line, where a long line asks for Enter.
vim.notify = function(message, level)
  tell("notify", { message = message, level = level or vim.log.levels.INFO })
end

-- Keys wait for the host as long as it takes: the processors may be busy.
require("botglue.host.connection").asked_within = 60000
