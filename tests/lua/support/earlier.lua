--- Jobs of a Neovim that is gone, in the real store: a host of its own runs them before the plugin starts its host, and
--- is told what became of them as the plugin tells it.

local agent = require("support.agent")
local DEADLINE = require("support.deadline")

local M = {}

--- What a spec that is about something else need not say.
local DEFAULTS = {
  agent = "claude",
  model = "opus",
  project = "/",
  path = "/somewhere/a.rs",
  filetype = "",
  prompt = "it",
  kind = "line",
  first_line = 1,
  rows = { "x" },
  cols = { 0 },
  lines = { "X" },
}

---@class EarlierJob
---@field kind string
---@field first_line integer
---@field rows string[]
---@field cols integer[]
---@field base string[]? what was selected; without it all of the rows
---@field lines string[] the answer
---@field path string
---@field project string
---@field held_for string? without it the answer landed
---@field draft table?

---@param id integer
---@param job EarlierJob
---@param command string[]
---@return table request
local function request_of(id, job, command)
  local text = job.base or job.rows
  local count = job.kind == "insert" and 1 or #text
  return {
    id = id,
    buffer = 1,
    prompt = job.prompt,
    question = job.question or false,
    review = false,
    agent = {
      name = job.agent,
      protocol = "claude",
      command = command,
      args = {},
      env = vim.empty_dict(),
      model = job.model,
    },
    tools = {},
    timeout = 60,
    max_parallel = 100,
    trust_project = false,
    rules = false,
    record = false,
    cwd = job.project,
    path = job.path,
    filetype = job.filetype,
    selection = {
      kind = job.kind,
      first_line = job.first_line,
      last_line = job.first_line + count - 1,
      text = text,
      rows = job.rows,
      cols = job.cols,
      column = job.column,
      beside = job.beside or vim.empty_dict(),
    },
    before = {},
    after = {},
    diagnostics = {},
  }
end

--- Takes the place of what the host calls while `fn` runs, which gets what was called so far, by name and job.
---@param fn fun(called: table<string, table<integer, boolean>>)
local function with_calls(fn)
  local apply = require("botglue.apply")
  local called, own = {}, vim.tbl_extend("error", {}, apply)
  own.all = nil -- which calls the others
  for name in pairs(own) do
    called[name] = {}
    apply[name] = function(argument)
      called[name][argument.id or 0] = true
    end
  end
  local ok, err = pcall(fn, called)
  for name, call in pairs(own) do
    apply[name] = call
  end
  assert(ok, err)
end

---@param name string
---@param condition fun(): any
local function eventually(name, condition)
  assert(
    vim.wait(DEADLINE, condition, 1),
    ("within %d s it was not true that %s"):format(DEADLINE / 1000, name)
  )
end

--- Runs jobs, oldest first, and ends their host.
---@param start fun(command: string[], options: table): integer starts a host
---@param notify fun(channel: integer, method: string, argument: table)
---@param program string the host's
---@param jobs EarlierJob[]
function M.run(start, notify, program, jobs)
  local options = require("botglue.host.client").options()
  -- A job belongs to the process that started its host: here a shell, which is gone afterwards.
  local command = { "/bin/sh", "-c", '"$@"; exit', "sh", program, "serve" }
  vim.list_extend(
    command,
    { "--log", require("botglue.host.process").log_path(), "--data-dir", options.data_dir }
  )
  with_calls(function(called)
    local gone = false
    local channel = start(command, {
      rpc = true,
      on_exit = function()
        gone = true
      end,
    })
    eventually("the earlier host is ready", function()
      return called.ready[0]
    end)
    for id, given in ipairs(jobs) do
      local job = vim.tbl_extend("keep", given, DEFAULTS)
      local path = ("%s/agent-earlier-%d"):format(vim.fn.stdpath("data"), id)
      local its =
        agent.new(path, job.session_id or "earlier-" .. id, { protocol = "claude", model = job.model })
      notify(channel, "run", request_of(id, job, its:command()))
      its:answer(agent.fenced(job.lines), job)
      eventually("the earlier job has ended", function()
        return called.finish[id]
      end)
      its:close()
      vim.fn.delete(path)
      -- Its buffer is none of this host's, so it holds the answer.
      eventually("the earlier answer is held", function()
        return called.landed[id]
      end)
      notify(channel, "landed", {
        id = id,
        landing = job.held_for and "held" or "applied",
        held_for = job.held_for,
        first_line = job.first_line,
        last_line = job.first_line + #job.lines - 1,
      })
      if job.draft then
        notify(channel, "draft", { id = id, draft = job.draft })
      end
    end
    vim.fn.chanclose(channel)
    eventually("the earlier host is gone", function()
      return gone
    end)
  end)
end

return M
