--- Makes jobs of stored held answers whose host or Neovim has exited.

local bytes = require("botglue.util.bytes")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local query = require("botglue.host.query")
local registry = require("botglue.jobs.registry")

local M = {}

--- Makes a job of this Neovim of a held answer.
---@param answer botglue.HeldAnswer
---@param id integer
---@return botglue.Job
local function hold(answer, id)
  local path, lost = answer.path, answer.id and client.job(answer.id)
  local bufnr = path ~= "" and vim.fn.bufadd(path) or lost and lost.range.bufnr or -1
  local range = require("botglue.editor.range").recall(bufnr, answer.selection, answer.stands)
  local place = lost and lost.range.bufnr == bufnr and lost.range:place()
  if lost and place then
    range:mark(place, lost.range.shape)
  end
  local draft = answer.draft or {}
  local job = require("botglue.jobs.job").recall({
    id = id,
    range = range,
    path = path,
    prompt = answer.prompt,
    agent = answer.agent,
    wanted = answer.model,
    cwd = answer.project,
    options = client.options(),
    indent = vim.fn.strdisplaywidth((range.base.rows[1] or range.base.above or ""):match("^%s*")),
    text = answer.text,
    answer = { lines = answer.lines or {}, held_for = answer.held_for },
    edited = draft.lines and bytes.from_text(draft.lines),
    typed = draft.typed and bytes.from_text(draft.typed),
    dropped = draft.dropped,
    held_for = answer.held_for or "buffer_gone",
    took_ms = answer.elapsed_ms or 0,
    on_close = registry.release,
  }, answer)
  registry.hold(job)
  return job
end

--- Takes over answers that the host gives: it hears by which numbers.
---@param answers botglue.HeldAnswer[]
---@return botglue.Job[]
local function take(answers)
  return vim.tbl_map(function(answer)
    local job = hold(answer, registry.next_id())
    local process = client.connect(client.options())
    if process then
      process:notify("adopted", { uuid = answer.uuid, id = job.id })
    end
    return job
  end, answers)
end

local PATIENT = { is_patient = true }

--- Makes jobs of the held answers of Neovims that have exited.
---@param reply fun(err: string?) called once they are jobs of this Neovim, or with the error
function M.ask(reply)
  query.ask("held", {}, function(result, err)
    if result then
      connection.earlier = 0
      take(result.answers)
    end
    reply(err)
  end, PATIENT)
end

--- Asks the next host for answers of jobs that failed because their host exited before it reported the outcome. Each
--- such answer becomes a new held job, because the failure of the first job was already reported.
function M.recover()
  local lost = connection.lost
  if #lost == 0 then
    return
  end
  local process = connection.process
  connection.lost = {}
  query.ask("untold", { ids = lost }, function(result)
    if not result then
      -- Ask the next host instead; it may already be running.
      vim.list_extend(connection.lost, lost)
      if connection.process and connection.process ~= process then
        M.recover()
      end
      return
    end
    for i, job in ipairs(take(result.answers)) do
      local words = "botglue: :Botglue review %d shows the answer of job %d, which was stored"
      require("botglue.host.notify").warn(words:format(job.id, result.answers[i].id))
    end
  end, PATIENT)
end

return M
