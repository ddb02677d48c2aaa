--- A child for specs of the prompt, and what they do with it.

local child = require("support.child")

local M = {}

M.LINES = require("support.running").numbered(60)

function M.start()
  return child.with_host(M.LINES)
end

--- Types keys in the prompt, after which it is closed.
function M.type_and_leave(nvim, keys)
  nvim:type(keys)
  nvim:eventually("the prompt is closed", "return require('botglue.host.connection').prompt == nil")
end

function M.sent(nvim)
  return nvim:host("received", "run")
end

return M
