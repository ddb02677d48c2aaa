--- What a key in a list of the host does that only Neovim can: it goes to places, starts jobs at their ranges, fills
--- registers and lists. The host says which of it; nothing here knows what a list shows.

local ask = require("botglue.editor.ask")
local errors = require("botglue.host.errors")
local go = require("botglue.ui.go")
local notify = require("botglue.host.notify")
local range = require("botglue.editor.marks")
local registry = require("botglue.jobs.registry")
local run = require("botglue.jobs.run")

local M = {}

local api = vim.api
local fail = errors.fail

--- Of a job of this Neovim, by the host's name for it.
local own = {}

--- Goes to the range of a job as it is now.
---@param job botglue.Job
---@param float botglue.ListOrigin
function own.jump(job, float)
  local target = job.range
  local bufnr = target.bufnr
  if not api.nvim_buf_is_loaded(bufnr) then
    bufnr = go.load(job.path)
  end
  local place = target:place()
  local col = place and (place.from or place.spans and place.spans[1][1]) or 0
  go.show(float, bufnr, target:lines(), col)
end

---@param job botglue.Job
---@param float botglue.ListOrigin
function own.review(job, float)
  float:close()
  require("botglue.ui.review.held").show(job.id)
end

---@param job botglue.Job
function own.retry(job)
  run.again({ retry = { id = job.id } })
end

--- Goes on in the session of a job, at its range, which is shown; asks for the prompt.
---@param job botglue.Job
---@param float botglue.ListOrigin
function own.followup(job, float)
  own.jump(job, float)
  run.again({ followup = { id = job.id } })
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
  if #landed > 0 and reads(full.place[1], landed) then
    local first = full.place[1] - 1
    return range.at(bufnr, { first = first, last = first + #landed - 1 }, "line")
  elseif not reads(sent.first_line, sent.kind == "insert" and { sent.beside.above } or sent.rows) then
    fail("select the lines and start a new job: the text of this one has changed")
  end
  local spans = {}
  for i, from in ipairs(sent.cols) do
    spans[i] = { from, from + #sent.text[i] }
  end
  return range.from_selection({
    bufnr = bufnr,
    kind = sent.kind,
    first_line = sent.first_line,
    last_line = sent.last_line,
    spans = spans,
    column = sent.column,
  })
end

--- Goes on from a job of an earlier time, at its range, which is shown.
---@param how "retry"|"followup"
---@param full botglue.FullEntry
---@param from botglue.ListOrigin
local function again(how, full, from)
  local bufnr = go.load(full.path or "")
  local target = range_of(full, bufnr)
  local ok, raised = pcall(function()
    go.show(from, bufnr, (target:lines()), 0)
    full.wanted, full.cwd = full.answered_by or full.model, full.project
    if how == "followup" then
      return run.ask(target, run.onward(full))
    end
    run.start(target, {
      prompt = full.prompt,
      question = full.question,
      agent = full.agent,
      model = full.wanted,
      resume = full.resumed,
      cwd = full.resumed and full.cwd,
      -- An answer of this prompt was seen, unless it was interrupted: the option decides about the next one.
      review = full.error and full.error[1] == "host_lost" and full.review or nil,
    })
  end)
  if not ok then
    target:unmark()
    error(raised, 0)
  end
end

---@param lines string[]
---@param kind string how the text was selected
---@param register string
local function yank(lines, kind, register)
  vim.fn.setreg(register, lines, kind == "char" and "c" or "l")
  notify.warn(("botglue: %d %s of the answer yanked"):format(#lines, #lines == 1 and "line" or "lines"))
end

--- Puts rows below the range of a job, as one undo step.
---@param lines string[]
---@param id integer
---@param from botglue.ListOrigin
local function put(lines, id, from)
  local target = registry.job(id).range
  if not api.nvim_buf_is_loaded(target.bufnr) then
    fail("the buffer of job %d is gone", id)
  elseif not vim.bo[target.bufnr].modifiable then
    fail("the buffer of job %d cannot be changed", id)
  elseif not target:place() then
    fail("the place of job %d is not known", id)
  end
  local _, last = target:lines()
  require("botglue.editor.write").put(target.bufnr, last, lines)
  from:close()
end

--- Does what the host says.
---@param reply table
---@param from botglue.ListOrigin
---@param register string
local function follow(reply, from, register)
  if reply.own then
    own[reply.own](registry.job(reply.id), from)
  elseif reply.again then
    again(reply.again, reply.job, from)
  elseif reply.path then
    go.show(from, go.load(reply.path), reply.line, 0)
  elseif reply.yank then
    yank(reply.yank, reply.kind, register)
  elseif reply.put then
    put(reply.put, reply.id, from)
  elseif reply.terminal then
    from:close()
    require("botglue.session.terminal").open(reply.terminal)
  elseif reply.quickfix then
    from:close()
    local title = "botglue " .. vim.fs.basename(from.opening.name)
    vim.fn.setqflist({}, " ", { title = title, items = reply.quickfix })
    vim.cmd("botright copen")
  end
end

--- Asks the host what an action on a row is, and does it.
---@param arg { action: string, row: string?, view: string? }
---@param from botglue.ListOrigin
---@param register string
local function act(arg, from, register)
  follow(ask.open("act", arg), from, register)
  if arg.action == "transcript" then
    from:close()
  end
end

--- Does what a key in a window of the host is for.
---@param view botglue.HostWindow
---@param action string
function M.act(view, action)
  local row = view:id_of(vim.fn.line("."))
  act({ action = action, row = row, view = view.id }, view, vim.v.register)
end

--- The rows of a list in the user's picker. A held answer is opened for review; for any other row the user chooses an
--- action next.
---@param name string
---@param rows table[]
function M.pick(name, rows)
  local from = { origin = api.nvim_get_current_win(), close = function() end }
  local function words(item)
    return item.text or item.words
  end
  vim.ui.select(
    rows,
    { prompt = "botglue " .. name, kind = "botglue_job", format_item = words },
    function(row)
      local function choose(action)
        if row and action then
          errors.guard(act, { action = action.name, row = row.id }, from, '"')
        end
      end
      if not row or name == "held" or #row.actions == 1 then
        choose(row and row.actions[1])
      else
        local options = { prompt = "botglue: what to do", kind = "botglue_action", format_item = words }
        vim.ui.select(row.actions, options, choose)
      end
    end
  )
end

return M
