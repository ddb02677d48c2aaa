--- Calls of `editor.write` as the host words them: a spec says which rows become what, and the rows that are there now
--- and beside them are read from the child.

local child = require("support.child")

local M = {}

M.BUFFER = 1 -- the one that a child begins with

--- A child with these rows in its buffer, whose plugin is connected to the host.
---@param lines string[]
---@return Child
function M.start(lines)
  local nvim = child.with_host(lines)
  nvim:lua("local client = require('botglue.host.client'); client.connect(client.options())")
  nvim:eventually("the host is ready", "return require('botglue.host.connection').process.ready")
  return nvim
end

--- An edit: rows from 0, `last` exclusive, and what they become; a number more is the column of a block.
---@param rows string[] as they are before its step
local function edit(rows, given)
  local first, last, lines, column = unpack(given, 1, 4)
  return {
    first = first,
    last = last,
    old = vim.list_slice(rows, first + 1, last),
    above = rows[first],
    below = rows[last + 1],
    lines = lines,
    column = column,
  }
end

---@param rows string[]
---@param edits table[]
---@return string[] rows after the step
local function after(rows, edits)
  rows = vim.list_slice(rows)
  for i = #edits, 1, -1 do
    local rest = vim.list_slice(rows, edits[i].last + 1)
    rows = vim.list_extend(vim.list_slice(rows, 1, edits[i].first), edits[i].lines)
    vim.list_extend(rows, rest)
  end
  return #rows > 0 and rows or { "" }
end

--- A call for the buffer as it is now. Each step is the list of its edits.
---@param nvim Child
---@param steps table[][]
---@param more { buffer: integer?, job: integer?, attempt: integer? }? the job of the first step: else the next number
function M.call(nvim, steps, more)
  more = more or {}
  local job = more.job or (nvim.last_job or 0) + 1
  nvim.last_job = job + #steps - 1
  local buffer = more.buffer or M.BUFFER
  local rows = nvim:api("buf_get_lines", buffer, 0, -1, true)
  local call = { buffer = buffer, tick = nvim:api("buf_get_changedtick", buffer), steps = {} }
  for i, given in ipairs(steps) do
    local edits = {}
    for k, each in ipairs(given) do
      edits[k] = edit(rows, each)
    end
    rows = after(rows, edits)
    call.steps[i] = { job = job + i - 1, attempt = more.attempt or 1, edits = edits }
  end
  return call
end

--- Sends a call as the host does, and returns the reply.
function M.send(nvim, call)
  return nvim:api("exec_lua", "return require('botglue.apply').write(...)", { call })
end

--- Writes: a call for the buffer as it is now.
function M.write(nvim, steps, more)
  return M.send(nvim, M.call(nvim, steps, more))
end

--- The states of a reply's steps, or the state of a reply without any.
---@return string
function M.states(reply)
  return reply.state ~= "done" and reply.state
    or table.concat(
      vim.tbl_map(function(result)
        return result.state
      end, reply.steps),
      " "
    )
end

--- Writes one step, and fails unless it was written.
function M.written(nvim, edits, more)
  local reply = M.write(nvim, { edits }, more)
  if M.states(reply) ~= "written" then
    error("the step was not written: " .. vim.inspect(reply), 2)
  end
  return reply.steps[1]
end

--- The rows of the buffer.
function M.rows(nvim, buffer)
  return nvim:api("buf_get_lines", buffer or M.BUFFER, 0, -1, true)
end

return M
