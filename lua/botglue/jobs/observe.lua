--- The user's functions that observe a job. A job owns its observers and drops them when it has ended; the host sends
--- a job's updates only while there are any.
---
--- An observer is called within the host's call, before the update is drawn or stored: a slow one holds up the host.
--- One that raises an error is removed.

local M = {}

---@class botglue.Observer
---@field fn fun(update: botglue.Update)
---@field thinking boolean

--- The updates that the observers of a job need from the host.
---@param job botglue.Job
---@return "nothing"|"words"|"thinking"
local function wanted(job)
  local most = "nothing"
  for _, observer in ipairs(job.observers or {}) do
    most = observer.thinking and "thinking" or most == "nothing" and "words" or most
  end
  return most
end

--- Tells the host if the observers need other updates than before.
---@param job botglue.Job
local function ask(job)
  local now = wanted(job)
  if not job.observed or now == job.observed then
    return
  end
  job.observed = now
  if now == "nothing" then
    job.process:notify("unobserve", { id = job.id })
  else
    job.process:notify("observe", { id = job.id, thinking = now == "thinking" })
  end
end

--- The job is about to be sent: what the host is to forward from its first line on.
---@param job botglue.Job
---@return { thinking: boolean }?
function M.from_start(job)
  job.observed = wanted(job)
  return job.observed ~= "nothing" and { thinking = job.observed == "thinking" } or nil
end

---@param job botglue.Job
---@param fn fun(update: botglue.Update)
---@return integer?
local function place_of(job, fn)
  for i, observer in ipairs(job.observers or {}) do
    if observer.fn == fn then
      return i
    end
  end
end

---@param job botglue.Job
---@param fn fun(update: botglue.Update)
local function remove(job, fn)
  local i = place_of(job, fn)
  if i then
    table.remove(job.observers, i)
    if job:is_open() then
      ask(job)
    end
  end
end

--- Adds an observer. If the job has ended already, it gets only that update, in the next tick.
---@param job botglue.Job
---@param fn fun(update: botglue.Update)
---@param thinking boolean
---@return fun() take_back
function M.add(job, fn, thinking)
  local i = place_of(job, fn)
  if i then
    job.observers[i].thinking = job.observers[i].thinking or thinking
  else
    job.observers = job.observers or {}
    table.insert(job.observers, { fn = fn, thinking = thinking })
  end
  if job:is_open() then
    ask(job)
  else
    vim.schedule(function()
      M.finished(job)
    end)
  end
  return function()
    remove(job, fn)
  end
end

--- The part of an update that an observer asked for; nil if there is none.
---@param observer botglue.Observer
---@param update table
---@return botglue.Update?
local function heard(observer, update)
  if update.kind == "thinking" and not observer.thinking then
    return nil
  elseif update.kind == "gap" then
    local bytes = update.bytes + (observer.thinking and update.thinking or 0)
    return bytes > 0 and { kind = "gap", bytes = bytes } or nil
  end
  return vim.deepcopy(update)
end

--- Tells each of the job's functions, in the order in which they came.
---@param job botglue.Job
---@param update botglue.Update
function M.tell(job, update)
  for _, observer in ipairs(vim.list_extend({}, job.observers or {})) do
    local visible = place_of(job, observer.fn) and heard(observer, update)
    if visible then
      local ok, err = pcall(observer.fn, visible)
      if not ok then
        remove(job, observer.fn)
        require("botglue.host.notify").error(
          ("botglue: a function that watched job %d failed and watches no more: %s"):format(job.id, err)
        )
      end
    end
  end
end

--- Takes what the host forwards.
---@param job botglue.Job
---@param updates table[]
function M.take(job, updates)
  for _, update in ipairs(updates) do
    if not job:is_open() then
      return
    end
    -- What says something runs; the frame that says so comes later.
    job:enter("running")
    if update.kind == "tool" then
      M.tools(job, { update.tool })
    else
      M.tell(job, update)
    end
  end
end

--- Takes the tools that changed, and tells of those that are not known to be so.
---@param job botglue.Job
---@param tools table[] each with its index
function M.tools(job, tools)
  for _, tool in ipairs(tools) do
    local known = job:learn_tool(tool)
    if not known or known.status ~= tool.status then
      local public = { id = tool.id, name = tool.name, status = tool.status, error = tool.error }
      M.tell(job, { kind = "tool", tool = public })
    end
  end
end

--- The job has ended: the last that its functions hear.
---@param job botglue.Job
function M.finished(job)
  if job.observers and #job.observers > 0 then
    M.tell(job, { kind = "finished", job = job:table() })
  end
  job.observers, job.observed = nil, nil
end

return M
