--- What is done with a finished job that is not of this Neovim: the store tells all that is needed.

local act = require("botglue.ui.act")
local amounts = require("botglue.util.amounts")
local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local signs_of = require("botglue.util.signs").of
local stored_job = require("botglue.session.stored_job")

local M = {}

local api = vim.api
local fail = errors.fail

--- Asks for all of a job. What comes of it is a window: there is none where the user has left the list meanwhile, for
--- their keys are meant for something else.
---@param row botglue.ListRow
---@param fn fun(full: botglue.FullEntry)
local function whole(row, fn)
  local stayed = require("botglue.editor.user_context").asked()
  stored_job.whole(row.id, function(full)
    if stayed() then
      fn(full)
    end
  end)
end

--- Goes to its place.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.jump(row, float)
  whole(row, function(full)
    local stayed = require("botglue.editor.user_context").asked()
    stored_job.find(full, function(spot)
      if not stayed() then
        return
      end
      act.show(float, spot.bufnr, spot.first, 0)
      if not spot.what then
        require("botglue.host.notify").warn("botglue: neither the answer nor what was sent is here any more")
      end
    end)
  end)
end

--- What a job was asked, by whom, and what it took, in a window of its own.
---@param entry botglue.FullEntry
local function show_prompt(entry)
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

---@param row botglue.ListRow
function M.prompt(row)
  whole(row, show_prompt)
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
      options = client.options(),
    })
  end)
end

--- Holds the answer once more, and shows it for review.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.again(row, float)
  local job = row.job and client.job(row.job)
  if job and job.landing == "held" then
    act.review(job, float)
    return
  end
  local stayed = require("botglue.editor.user_context").asked()
  require("botglue.jobs.adopt").again(row.id, function(held, err)
    errors.guard(function()
      local found = held or fail("%s", err)
      if stayed() then
        act.review(found, float)
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
---@param fn fun(full: botglue.FullEntry, target: botglue.Range, stayed: boolean)
---@param check (fun(full: botglue.FullEntry))? raises an error where it cannot go on
local function at_place(row, float, fn, check)
  local stayed = require("botglue.editor.user_context").asked()
  stored_job.whole(row.id, function(full)
    if check then
      check(full)
    end
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
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.retry(row, float)
  at_place(row, float, function(full, target)
    require("botglue.jobs.run").send(target, {
      prompt = full.prompt,
      agent = full.agent,
      model = full.model,
      question = full.question,
      -- Whoever has seen an answer of this prompt decides again whether the next one is held.
      review = full.status == "interrupted" and full.review or nil,
      resume = full.resume,
      cwd = full.resume and full.project or nil,
    }, (client.options()))
  end)
end

---@param full botglue.FullEntry
---@return string
local function session_of(full)
  return (require("botglue.session.writer").session("this job", full.agent, full.session_id))
end

--- Goes on in its session, on the range as it is now; asks for the prompt.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.followup(row, float)
  at_place(row, float, function(full, target, stayed)
    if not stayed then
      target:unmark()
      return
    end
    local request = require("botglue.session.followup").request({
      agent = full.agent,
      model = full.model,
      session_id = session_of(full),
      cwd = full.project,
      question = full.question,
      target = target,
    })
    require("botglue.jobs.run").ask(target, request, (client.options()))
  end, session_of)
end

--- Its session, in a terminal.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.open(row, float)
  whole(row, function(full)
    local source = { agent = full.agent, session_id = session_of(full), cwd = full.project }
    float:close()
    require("botglue.session.terminal").open_session(source, "this job")
  end)
end

--- What its agent did.
---@param row botglue.ListRow
---@param float botglue.ListOrigin
function M.transcript(row, float)
  whole(row, function(full)
    if not full.transcript then
      fail("no transcript of this job is kept: the newest 200 are, where the option record is on")
    end
    float:close()
    require("botglue.ui.transcript").show_stored(full, "readable")
  end)
end

return M
