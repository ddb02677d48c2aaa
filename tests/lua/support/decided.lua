--- Jobs whose answers are held, or have landed, and what the user decides of them.

local child = require("support.child")
local equal = require("support.suite").equal

local M = {}

--- A child with an answer for rows 2 to 4 of five that is held.
---@param answer string[]
---@param keys string? typed before it comes
---@param options table? other options of the job than that it is to be reviewed
---@return Child
function M.held(answer, keys, options)
  local nvim = child.with_host({ "a", "b", "c", "d", "e" })
  nvim:run(child.line(2, 4), options or { review = true })
  nvim:type(keys or "")
  nvim:answer(1, answer)
  equal(nvim:job(1).landing, "held")
  return nvim
end

--- A child in which an answer landed.
---@param lines string[]
---@param range table
---@param answer string[]
---@param edits table[]?
---@return Child
function M.landed(lines, range, answer, edits)
  local nvim = child.with_host(lines)
  nvim:run(range)
  nvim:answer(1, answer, { edits = edits })
  equal(M.landing(nvim), "applied")
  return nvim
end

---@param nvim Child
---@param what "accept"|"reject"|"revert"
---@param id integer?
function M.decide(nvim, what, id)
  nvim:lua("local what, id = ...; require('botglue')[what](id)", what, id or 1)
end

--- The same as a key of the user's does it: an error is shown.
---@param nvim Child
---@param what "accept"|"reject"|"revert"
---@param id integer?
function M.press(nvim, what, id)
  local lua = "local what, id = ...; require('botglue.host.errors').guard(require('botglue')[what], id)"
  nvim:lua(lua, what, id or 1)
end

---@param nvim Child
---@param id integer?
---@return string
function M.landing(nvim, id)
  return nvim:job(id or 1).landing
end

return M
