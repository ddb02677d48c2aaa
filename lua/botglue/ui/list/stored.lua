--- The actions of a list on a finished job of another Neovim, from the store.

local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local extent = require("botglue.editor.extent")
local go = require("botglue.ui.go")
local open = require("botglue.ui.open")
local query = require("botglue.host.query")
local range = require("botglue.editor.range")
local requests = require("botglue.jobs.request")
local run = require("botglue.jobs.run")
local user_context = require("botglue.editor.user_context")

local M = {}

local api = vim.api
local fail = errors.fail

--- Drops the reply if the user has left the list meanwhile: it would open a window under keys that are meant for
--- something else.
---@param fn fun(result: table)
---@return fun(result: table?, err: string?)
local function where_stayed(fn)
  local stayed = user_context.asked()
  return function(result, err)
    if stayed() then
      errors.guard(function()
        fn(result or fail("%s", err))
      end)
    end
  end
end

--- Asks for all of a job.
---@param row botglue.ListRow
---@param fn fun(full: botglue.FullEntry)
local function whole(row, fn)
  query.ask(
    "job",
    { uuid = row.id },
    where_stayed(function(result)
      fn(result.job)
    end)
  )
end

---@param job { agent: string, session_id: string? }
local function check_session(job)
  require("botglue.session.writer").session("this job", job.agent, job.session_id)
end

--- Goes to its line.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.jump(row, float)
  go.show(float, go.load(row.path or ""), row.line, 0)
end

--- Shows the prompt of a job, its model, its time and its cost in a window.
---@param row botglue.ListRow
function M.prompt(row)
  open.window("prompt", { uuid = row.id })
end

--- The answer as it would land, else as the agent gave it.
---@param full botglue.FullEntry
---@return string[]
local function answer_of(full)
  local lines, text = full.lines, full.text or ""
  if not lines or #lines == 0 and text:find("%S") then
    return vim.split(text, "\n", { plain = true })
  end
  return lines
end

--- Shows the sent text beside the answer.
---@param row botglue.ListRow
function M.diff(row)
  open.window("compare", { uuid = row.id, title = row.job and ("job %d"):format(row.job) })
end

--- Puts the answer into the register that the user has named.
---@param row botglue.ListRow
function M.yank(row)
  local register = vim.v.register
  whole(row, function(full)
    local answer = answer_of(full)
    vim.fn.setreg(register, answer, full.selection.kind == "char" and "c" or "l")
    require("botglue.host.notify").warn(
      ("botglue: %d %s of the answer yanked"):format(#answer, #answer == 1 and "line" or "lines")
    )
  end)
end

--- The range of a job, if its file still reads there as the answer left it or as it was sent.
---@param full botglue.FullEntry
---@param bufnr integer
---@return botglue.Range
local function range_of(full, bufnr)
  local function reads(first, rows)
    return vim.deep_equal(api.nvim_buf_get_lines(bufnr, first - 1, first - 1 + #rows, false), rows)
  end
  local landed, sent = full.landed_rows or {}, full.selection
  if #landed > 0 and reads(full.landed_first, landed) then
    local first = full.landed_first - 1
    return range.at(bufnr, { first = first, last = first + #landed - 1 }, "line")
  elseif not reads(sent.first_line, sent.kind == "insert" and { sent.beside.above } or sent.rows) then
    fail("select the lines and start a new job: the text of this one has changed")
  end
  local spans = {}
  for i, from in ipairs(sent.cols) do
    spans[i] = { from, from + #sent.text[i] }
  end
  local place = extent.of({
    bufnr = bufnr,
    kind = sent.kind,
    first_line = sent.first_line,
    last_line = sent.last_line,
    spans = spans,
  })
  return range.at(bufnr, place, sent.kind, sent.column)
end

--- Goes on from a job of an earlier time, at its range, which is shown.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
---@param fn fun(job: botglue.Earlier, target: botglue.Range)
---@param check (fun(full: botglue.FullEntry))? raises an error where it cannot go on
local function at_range(row, float, fn, check)
  whole(row, function(full)
    if check then
      check(full)
    end
    local bufnr = go.load(row.path or "")
    local target = range_of(full, bufnr)
    local ok, raised = pcall(function()
      go.show(float, bufnr, (target:lines()), 0)
      fn({
        prompt = full.prompt,
        agent = full.agent,
        wanted = full.model,
        question = full.question,
        session_id = full.session_id,
        cwd = full.project,
        resume = full.resume,
        -- An answer of this prompt was seen, unless it was interrupted: the option decides about the next one.
        review = full.status == "interrupted" and full.review or nil,
      }, target)
    end)
    if not ok then
      target:unmark()
      error(raised, 0)
    end
  end)
end

--- The same prompt once more, on the range as it is now.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.retry(row, float)
  at_range(row, float, function(job, target)
    run.send(target, requests.again(job), (client.options()))
  end)
end

--- Goes on in its session, on the range as it is now; asks for the prompt.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.followup(row, float)
  at_range(row, float, function(job, target)
    run.ask(target, requests.continue(job), (client.options()))
  end, check_session)
end

--- Its session, in a terminal.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.open(row, float)
  whole(row, function(full)
    check_session(full)
    float:close()
    local job = { agent = full.agent, session_id = full.session_id, cwd = full.project }
    require("botglue.session.terminal").open_session(job, "this job")
  end)
end

--- Shows its transcript.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.transcript(row, float)
  open.window("transcript", { uuid = row.id })
  float:close()
end

return M
