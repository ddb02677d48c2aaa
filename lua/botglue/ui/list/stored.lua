--- What is done with a finished job that is not of this Neovim: the store tells all that is needed.

local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local find = require("botglue.host.find")
local go = require("botglue.ui.go")
local own = require("botglue.ui.list.own")
local query = require("botglue.host.query")
local range = require("botglue.editor.range")
local requests = require("botglue.jobs.request")
local run = require("botglue.jobs.run")
local user_context = require("botglue.editor.user_context")
local view = require("botglue.ui.list.view")

local M = {}

local api = vim.api
local fail = errors.fail

--- What comes of a reply is a window: there is none where the user has left the list meanwhile, for their keys are
--- meant for something else.
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

--- Asks where the text of a job is, in its file, which is read if need be. An error in `fn` is told.
---@param row botglue.ListRow
---@param fn fun(found: botglue.Found, bufnr: integer, stayed: boolean) with whether the user has not left the list
local function find_place(row, fn)
  local bufnr, stayed = go.load(row.path or ""), user_context.asked()
  find.ask("place", bufnr, function()
    return { uuid = row.id }
  end, function(found, err)
    fn(found or fail("%s", err), bufnr, stayed())
  end)
end

--- Goes to its place.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.jump(row, float)
  find_place(row, function(found, bufnr, stayed)
    if stayed then
      go.show(float, bufnr, found.line or found.job.line, 0)
      if not found.what then
        require("botglue.host.notify").warn("botglue: neither the answer nor what was sent is here any more")
      end
    end
  end)
end

--- What a job was asked, by whom, and what it took, in a window of its own.
---@param shown { prompt: string, ended: string, took: string }
local function show_prompt(shown)
  local rows = vim.split(shown.prompt, "\n", { plain = true })
  local width = math.min(math.max(vim.o.columns - 8, 30), 100)
  local height = 0
  for _, row in ipairs(rows) do
    height = height + math.max(math.ceil(api.nvim_strwidth(row) / width), 1)
  end
  local float = require("botglue.ui.float").open({
    name = "prompt-of-job",
    width = width,
    height = math.min(height, math.floor(vim.o.lines * 0.6)),
    title = { left = "prompt", right = shown.ended },
    note = shown.took,
    keys = {},
  })
  vim.wo[float.win][0].wrap, vim.wo[float.win][0].linebreak = true, true
  float:draw(vim.tbl_map(function(row)
    return { { row } }
  end, rows))
end

---@param row botglue.ListRow
function M.prompt(row)
  view.ask("job", { uuid = row.id }, where_stayed(show_prompt))
end

--- What stood there beside the answer.
---@param row botglue.ListRow
function M.diff(row)
  whole(row, function(full)
    local right = full.lines
    if not right or #right == 0 and vim.trim(full.text or "") ~= "" then
      right = vim.split(full.text or "", "\n", { plain = true })
    end
    require("botglue.ui.compare").open({
      name = row.job and ("job %d"):format(row.job) or full.prompt,
      left = full.selection.text or {},
      right = right,
      filetype = full.question and "" or full.filetype,
    })
  end)
end

--- Holds the answer once more, and shows it for review.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.again(row, float)
  local job = row.job and client.job(row.job)
  if job and job.landing == "held" then
    own.review(job, float)
    return
  end
  local stayed = user_context.asked()
  require("botglue.jobs.adopt").again(row.id, function(held, err)
    errors.guard(function()
      local found = held or fail("%s", err)
      if stayed() then
        own.review(found, float)
      else
        require("botglue.host.notify").warn(
          ("botglue: it is held, :Botglue review %d shows it"):format(found.id)
        )
      end
    end)
  end)
end

--- Goes on from a job of an earlier time, at its place. That is shown, but not where the user has left the list.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
---@param fn fun(job: botglue.FoundJob, target: botglue.Range, stayed: boolean)
---@param check (fun(job: botglue.FoundJob))? raises an error where it cannot go on
local function at_place(row, float, fn, check)
  find_place(row, function(found, bufnr, stayed)
    if check then
      check(found.job)
    end
    local place = found.place
      or fail("select the lines and start a new job: the place of this one is not known")
    local target = range.at(bufnr, place, place.kind, found.job.column)
    local ok, raised = pcall(function()
      if stayed then
        go.show(float, bufnr, found.line, 0)
      end
      fn(found.job, target, stayed)
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
  at_place(row, float, function(job, target)
    run.send(target, requests.again(job), (client.options()))
  end)
end

--- Goes on in its session, on the range as it is now; asks for the prompt.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.followup(row, float)
  at_place(row, float, function(job, target, stayed)
    if not stayed then
      target:unmark()
      return
    end
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

--- What its agent did.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.transcript(row, float)
  whole(row, function(full)
    float:close()
    require("botglue.ui.transcript").show_stored(full, "readable")
  end)
end

return M
