-- Speaks as a host does: nvim --clean --headless -l silent_host.lua VERSION. Says that it is ready, then does nothing
-- until its input closes.

-- As many lines as it is started with; a real host gets arguments after these.
local version = _G.arg[1]
local channel = vim.fn.stdioopen({ rpc = true })
-- The real one introduces itself before it says that it is ready, and waits for the reply.
vim.rpcrequest(channel, "nvim_set_client_info", "botglue", {}, "remote", {}, {})
vim.rpcnotify(
  channel,
  "nvim_exec_lua",
  "return require('botglue.apply').ready(...)",
  { { version = version, pid = vim.fn.getpid() } }
)
vim.wait(60000, function()
  return false
end)
