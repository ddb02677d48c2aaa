--- What can be done with a finished job of the history. One that is a job of this Neovim is that job, with its range as
--- it is now; of any other the store tells all that is needed.

local act = require("botglue.ui.act")
local amounts = require("botglue.ui.amounts")
local client = require("botglue.client")
local errors = require("botglue.errors")
local signs_of = require("botglue.ui.signs").of
local stored_job = require("botglue.stored_job")

local M = {}

local api = vim.api
local fail = errors.fail

--- The job of this Neovim that an entry is.
---@param entry botglue.Entry
---@return botglue.Job?
local function job_of(entry)
  return entry.id and client.job(entry.id)
end

--- What is done with the job of this Neovim that an entry is, or else with what the store knows.
---@param of_job fun(job: botglue.Job, float: botglue.Float)
---@param of_entry fun(entry: botglue.Entry, float: botglue.Float)
---@return fun(entry: botglue.Entry, float: botglue.Float)
local function either(of_job, of_entry)
  return function(entry, float)
    local job = job_of(entry)
    if job then
      of_job(job, float)
    else
      of_entry(entry, float)
    end
  end
end

--- Asks for all of a job. What comes of it is a window: there is none where the user has left the list meanwhile, for
--- their keys are meant for something else.
---@param entry botglue.Entry
---@param fn fun(full: botglue.FullEntry)
local function whole(entry, fn)
  local stayed = require("botglue.here").asked()
  stored_job.whole(entry, function(full)
    if stayed() then
      fn(full)
    end
  end)
end

--- Goes to its place.
M.jump = either(act.jump, function(entry, float)
  whole(entry, function(full)
    local stayed = require("botglue.here").asked()
    stored_job.find(full, function(spot)
      if not stayed() then
        return
      end
      act.show(float, spot.bufnr, spot.first, 0)
      if not spot.what then
        require("botglue.notify").warn("botglue: neither the answer nor what was sent is here any more")
      end
    end)
  end)
end)

--- What a job was asked, by whom, and what it took, in a window of its own.
---@param entry botglue.Entry
function M.prompt(entry)
  local options = client.options()
  local signs = signs_of(options)
  local rows = vim.split(entry.prompt, "\n", { plain = true })
  local width = math.min(math.max(vim.o.columns - 8, 30), 100)
  local height = 0
  for _, row in ipairs(rows) do
    height = height + math.max(math.ceil(api.nvim_strwidth(row) / width), 1)
  end
  local took = { entry.model or entry.agent }
  if entry.ended_ms > entry.started_ms then
    -- When a job was interrupted is not always known.
    took[#took + 1] = amounts.duration(entry.ended_ms - entry.started_ms)
  end
  if amounts.money(entry.cost_usd, "") ~= "" then
    took[#took + 1] = amounts.money(entry.cost_usd, "")
  end
  local float = require("botglue.ui.float").open({
    name = "prompt-of-job",
    options = options,
    width = width,
    height = math.min(height, math.floor(vim.o.lines * 0.6)),
    title = {
      left = "prompt",
      right = os.date("%d %b %Y %H:%M", math.floor(entry.ended_ms / 1000)) --[[@as string]],
    },
    note = table.concat(took, signs.between),
    keys = {},
  })
  vim.wo[float.win][0].wrap, vim.wo[float.win][0].linebreak = true, true
  float:draw(vim.tbl_map(function(row)
    return { { row } }
  end, rows))
end

--- What stood there beside the answer.
---@param entry botglue.Entry
function M.diff(entry)
  if not entry.has_answer then
    fail("this job has no answer")
  end
  whole(entry, function(full)
    local right = full.lines
    if not right or #right == 0 and vim.trim(full.text or "") ~= "" then
      right = vim.split(full.text or "", "\n", { plain = true })
    end
    require("botglue.ui.compare").open({
      left = full.selection.text or {},
      right = right,
      filetype = full.question and "" or full.filetype,
      options = client.options(),
    })
  end)
end

--- Holds the answer once more, and shows it for review.
---@param entry botglue.Entry
---@param float botglue.Float
function M.again(entry, float)
  if entry.question then
    fail("this was a question: its answer does not land")
  elseif not entry.has_answer then
    fail("this job has no answer")
  end
  local job = job_of(entry)
  if job and job.landing == "held" then
    act.review(job, float)
    return
  end
  local stayed = require("botglue.here").asked()
  require("botglue.adopt").again(entry.uuid, function(held, err)
    errors.guard(function()
      local found = held or fail("%s", err)
      if stayed() then
        act.review(found, float)
      else
        require("botglue.notify").warn(("botglue: it is held, :Botglue review %d shows it"):format(found.id))
      end
    end)
  end)
end

--- Goes on from a job of an earlier time, at its place. That is shown, but not where the user has left the list.
---@param entry botglue.Entry
---@param float botglue.Float
---@param fn fun(full: botglue.FullEntry, target: botglue.Range, stayed: boolean)
local function at_place(entry, float, fn)
  local stayed = require("botglue.here").asked()
  stored_job.whole(entry, function(full)
    stored_job.target(full, function(target)
      local ok, raised = pcall(function()
        local is_here = stayed()
        if is_here then
          act.show(float, target.bufnr, (target:lines()), 0)
        end
        fn(full, target, is_here)
      end)
      if not ok then
        target:unmark()
        error(raised, 0)
      end
    end)
  end)
end

--- The same prompt once more, on the range as it is now.
M.retry = either(function(job, float)
  act.retry(job)
  float:close()
end, function(entry, float)
  at_place(entry, float, function(full, target)
    require("botglue.run").send(target, {
      prompt = full.prompt,
      agent = full.agent,
      model = full.model,
      question = full.question,
      -- Whoever has seen an answer of this prompt decides anew whether the next one is held.
      review = full.status == "interrupted" and full.review or nil,
      resume = full.resume,
      cwd = full.resume and full.project or nil,
    }, (client.options()))
  end)
end)

--- Goes on in its session, on the range as it is now; asks for the prompt.
M.followup = either(act.followup, function(entry, float)
  local session_id = require("botglue.writer").session("this job", entry.agent, entry.session_id)
  at_place(entry, float, function(full, target, stayed)
    if not stayed then
      target:unmark()
      return
    end
    local wish = require("botglue.followup").wish({
      agent = full.agent,
      model = full.model,
      session_id = session_id,
      cwd = full.project,
      question = full.question,
      target = target,
    })
    require("botglue.run").ask(target, wish, (client.options()))
  end)
end)

--- Its session, in a terminal.
---@param entry botglue.Entry
---@param float botglue.Float
function M.open(entry, float)
  local source = { agent = entry.agent, session_id = entry.session_id, cwd = entry.project }
  require("botglue.writer").session("this job", entry.agent, entry.session_id)
  float:close()
  require("botglue.terminal").open_session(source, "this job")
end

--- What its agent did.
---@param entry botglue.Entry
---@param float botglue.Float
function M.transcript(entry, float)
  if not entry.transcript then
    fail("no transcript of this job is kept: the newest 200 are, where the option record is on")
  end
  float:close()
  require("botglue.transcript").show_stored(entry, "readable")
end

return M
