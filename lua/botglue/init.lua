--- The public API. Everything works without `setup()`; nothing is started before the first request.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

local MAX_WAIT = 2 ^ 31 - 1 -- milliseconds, for `vim.wait()`

local OBSERVED = {
  "any",
  as = "a table like { thinking = true }",
  fits = function(opts)
    return opts == nil or type(opts) == "table" and type(opts.thinking or false) == "boolean"
  end,
}

local function must(value, rule, name)
  require("botglue.options").must(value, rule, name)
end

--- Sets options; they override those of `vim.g.botglue`. A wrong option raises an error that names it.
---@param opts table?
function M.setup(opts)
  local ok, raised = pcall(function()
    require("botglue.options").resolve(opts)
    connection.setup = vim.deepcopy(opts)
    if not client.options().default_keymaps then
      require("botglue.command.maps").remove_default_keymaps()
    elseif vim.g.loaded_botglue then
      vim.cmd.runtime("plugin/botglue.lua")
    end
  end)
  if not ok then
    -- Neovim shows a table as one line; a string would get a traceback. Plugin managers join the error with text.
    local function words()
      return tostring(raised)
    end
    local function join(left, right)
      return tostring(left) .. tostring(right)
    end
    error(setmetatable({}, { __tostring = words, __concat = join }), 0)
  end
end

---@param opts botglue.RunOptions?
---@param question boolean?
---@return integer? id
local function start(opts, question)
  local request, select = require("botglue.command.arguments").check(opts, (client.options()))
  request.question = question
  return require("botglue.ui.start").on(select(), request)
end

--- Starts a job; without a prompt asks for it first.
---@param opts botglue.RunOptions?
---@return integer? id
function M.run(opts)
  return start(opts)
end

--- Asks a question: shows the answer and does not change the buffer.
---@param opts botglue.RunOptions?
---@return integer? id
function M.ask(opts)
  return start(opts, true)
end

--- All jobs of this Neovim, oldest first.
---@return botglue.JobTable[]
function M.jobs()
  local jobs = {}
  for _, job in vim.spairs(connection.jobs) do
    jobs[#jobs + 1] = job:table()
  end
  return jobs
end

---@param id integer
---@return botglue.JobTable?
function M.job(id)
  local job = connection.jobs[id]
  return job and job:table()
end

--- Accepts a held answer: the host merges it with the current text. With `opts.range` the answer replaces these
--- lines. Raises an error if it has a conflict that was not shown to the user.
---@param id integer
---@param opts botglue.AcceptOptions?
function M.accept(id, opts)
  require("botglue.command.arguments").check_accept(opts)
  require("botglue.jobs.decision").accept(id, opts)
end

--- The hunks of a held answer: what it would change in its buffer.
---@param id integer
---@return botglue.Hunk[] hunks
---@return integer tick the changedtick of the text that they are for
function M.hunks(id)
  return require("botglue.jobs.decision").hunks(id)
end

--- Shows a held answer; without an id the next one, including earlier sessions.
---@param id integer?
function M.review(id)
  require("botglue.command").review(id)
end

--- Rejects a held answer, or the answer of an open job: it will not land, and a job in the queue never starts.
---@param id integer
function M.reject(id)
  require("botglue.jobs.decision").decide("reject", id)
end

--- Reverts a landed answer.
---@param id integer
function M.revert(id)
  require("botglue.jobs.decision").decide("revert", id)
end

--- Adds an observer to a job: the function gets each update as it comes, and at the end `finished`.
---@param id integer
---@param fn fun(update: botglue.Update)
---@param opts { thinking: boolean? }?
---@return fun() take_back
function M.on(id, fn, opts)
  local job = require("botglue.jobs.cache").job(id)
  must(fn, { "any", as = "a function", fits = vim.is_callable }, "fn")
  must(opts, OBSERVED, "opts")
  return require("botglue.jobs.observe").add(job, fn, opts ~= nil and opts.thinking == true)
end

--- Starts a job with the same prompt again, on the range as it is now.
---@param id integer
---@return integer id of the new job
function M.retry(id)
  return require("botglue.ui.start").ask_again("retry", id) --[[@as integer]]
end

--- Starts a job that continues the session of another one, on the range as it is now; without a prompt asks for it.
---@param id integer
---@param prompt string?
---@return integer? id of the new job
function M.followup(id, prompt)
  if prompt ~= nil then
    must(prompt, require("botglue.options").WORDS, "prompt")
  end
  return require("botglue.ui.start").ask_again("followup", id, prompt)
end

--- Waits until a job has ended, no decision is pending and its events were sent, with the event loop running.
---@param id integer
---@param ms integer
---@return botglue.JobTable? job nil if it has not ended by then
function M.wait(id, ms)
  must(ms, { "number", broken = true, least = 0, most = math.huge, as = "a number of milliseconds" }, "ms")
  local job = connection.jobs[id]
  if not job then
    return nil
  end
  local ok, ended = require("botglue.host.ask").wait(math.min(ms, MAX_WAIT), function()
    return job:is_settled()
  end, 5)
  if not ok then
    error(ended, 0)
  end
  if ended then
    require("botglue.jobs.events").flush()
  end
  return ended and job:table() or nil
end

--- Running and held jobs in a few characters for a status line; "" when there are none. A job that waits for others
--- counts as running. With `cost`, the cost of all jobs of this Neovim so far follows.
---@param opts { cost: boolean? }?
---@return string
function M.statusline(opts)
  connection.counted = true
  local parts, running, held, spent = {}, 0, connection.earlier, connection.spent
  for _, job in pairs(connection.jobs) do
    running = running + (job:is_open() and 1 or 0)
    held = held + (job:is_held() and 1 or 0)
    spent = job.facts.cost_usd and (spent or 0) + job.facts.cost_usd or spent
  end
  parts[#parts + 1] = running > 0 and running .. " running" or nil
  parts[#parts + 1] = held > 0 and held .. " held" or nil
  if type(opts) == "table" and opts.cost and spent then
    parts[#parts + 1] = spent > 0 and spent < 0.01 and "<$0.01" or ("$%.2f"):format(spent)
  end
  return table.concat(parts, ", ")
end

return M
