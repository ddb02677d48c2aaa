--- Ends the jobs when their host has died or Neovim exits: a written answer stays landed, an answer that waited to be
--- written is held, and a running job fails. If its answer was stored, the next host offers it as held.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local events = require("botglue.jobs.events")
local notify = require("botglue.host.notify")
local write = require("botglue.editor.write")

local M = {}

--- Ends the jobs.
---@param err botglue.JobError the error of jobs that have no answer yet
---@return integer[] failed the ids of these
local function end_jobs(err)
  local failed, landings = {}, write.landings()
  for id, job in vim.spairs(connection.jobs) do
    -- The host has stored an answer that waited to be written: the next host, or the next session, offers it.
    local landing = (landings[id] or {}).landing
      or job.facts.status == "ready" and "held"
      or job.facts.landing
    if landing ~= job.facts.landing then
      local held_for = landing == "held" and "review" or vim.NIL
      job:take({
        set = { status = "done", landing = landing, held_for = held_for },
        is_update = not job:is_open(),
      })
    elseif job:is_open() then
      table.insert(failed, id)
      job:fail(err)
    elseif job.deciding == "pending" then
      notify.error(("botglue: the host is gone: decide on job %d again"):format(id))
    end
    job.deciding = nil
  end
  return failed
end

--- The host is gone: ends the jobs, and remembers those whose answers a new host may find in the store.
---@param err botglue.JobError
function M.host_lost(err)
  vim.list_extend(connection.lost, end_jobs(err))
end

--- Tells a new host what the last one left behind.
---@param process botglue.Process
function M.introduce(process)
  local hello = { held = {}, ended = {}, lost = connection.lost }
  hello.written = vim.tbl_values(write.landings())
  for id, job in vim.spairs(connection.jobs) do
    if job:is_held() then
      table.insert(hello.held, { id = id, uuid = job.uuid })
    elseif not job:is_open() then
      table.insert(hello.ended, { id = id, prompt = job.facts.prompt, agent = job.facts.agent })
    end
  end
  table.insert(process.outbox, 1, { method = "hello", argument = hello })
end

--- Neovim is about to end: the user may stay where nothing keeps their held answers.
function M.confirm()
  local ask = connection.process and #vim.api.nvim_list_uis() > 0 and require("botglue.host.ask").open
  local question = ask and ask("ending", vim.empty_dict(), { keeps_keys = true }).question
  if question and vim.fn.confirm(question, "&Quit\n&Stay", 2) ~= 1 then
    -- Neovim does not end if its current window is closed meanwhile.
    vim.cmd("split | wincmd p | close")
  end
end

--- Neovim exits: ends the jobs, each with its event. The host notices the exit itself, and ends their agents.
function M.leave()
  local left = { code = "host_lost", message = "Neovim ended before the answer came: ask again" }
  -- The host may see an agent end before it notices that Neovim exits, and would report a failure of its own.
  client.tell("interrupted", { ids = end_jobs(left) })
  -- No next tick will send them.
  events.flush()
end

return M
