--- The functions that the host calls with `exec_lua`, in batches (`all`). A call that fails stops no other, and none
--- waits for the user.

local connection = require("botglue.host.connection")

local M = {}

--- Makes the calls of a batch in order; an error in one stops no other. Returns the result of the last call
--- (`vim.NIL` if that failed), then for each failed call its name and its error.
---@param calls { [1]: string, [2]: any }[] by name, each with its argument
---@return any[]
function M.all(calls)
  local replies = { vim.NIL }
  connection.applying = true
  for _, call in ipairs(calls) do
    local ok, result = pcall(M[call[1]], call[2])
    replies[1] = ok and result or vim.NIL
    if not ok then
      vim.list_extend(replies, { call[1], tostring(result) })
    end
  end
  connection.applying = false
  return replies
end

--- Moves the marks of ranges to their places in the document, which are valid for one changedtick. If the text has
--- changed since, the reply tells the host the current tick, and it sends the places again.
---@param moved { buffer: integer, tick: integer, places: botglue.DisplayMark[] }
---@return { tick: integer? }
function M.places(moved)
  local bufnr = moved.buffer
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return vim.empty_dict()
  end
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  for _, place in ipairs(tick == moved.tick and moved.places or {}) do
    local range = (connection.jobs[place.id] or {}).range
    if range and range.bufnr == bufnr and place.kind then
      range:mark(place, place.kind)
    elseif range and range.bufnr == bufnr then
      range:forget()
    end
  end
  if next(connection.hung) then
    require("botglue.ui.status").place()
  end
  return { tick = tick }
end

--- The calls that one function of another module takes; that function documents the argument.
for name, to in pairs({
  hang = { "botglue.ui.status", "hang" },
  hold = { "botglue.jobs.cache", "hold" },
  jobs = { "botglue.jobs.cache", "take" },
  paint = { "botglue.ui.review.view", "paint" },
  prompt = { "botglue.ui.prompt", "draw" },
  ready = { "botglue.host.client", "ready" },
  recall = { "botglue.jobs.run", "recall" },
  reply = { "botglue.host.ask", "reply" },
  results = { "botglue.jobs.batch", "show" },
  stored = { "botglue.editor.write", "stored" },
  view = { "botglue.ui.view", "draw" },
  write = { "botglue.editor.write", "write" },
}) do
  M[name] = function(argument)
    return require(to[1])[to[2]](argument)
  end
end

--- Shows a message that concerns no single job, or an error that no command waits for.
for _, level in ipairs({ "warn", "error" }) do
  M[level] = function(said)
    require("botglue.host.notify")[level]("botglue: " .. said.message)
  end
end

return M
