--- A child for specs of the prompt, and what they do with it.

local child = require("support.child")

local M = {}

M.LINES = {}
for i = 1, 60 do
  M.LINES[i] = ("line %d"):format(i)
end

--- A child in which earlier prompts are these.
---@param prompts string[]?
function M.start(prompts)
  local nvim = child.with_host(M.LINES)
  nvim:lua("require('support.host').prompts = ...", prompts or {})
  return nvim
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
