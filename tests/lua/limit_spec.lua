local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains, line = suite.test, suite.equal, suite.contains, child.line

--- Has the agent of a job meet a limit, and waits until the job waits for its end.
local function limited(nvim, id, words, cost_usd)
  nvim:agent(id, "refuse", 429, words, cost_usd)
  nvim:eventually(
    "it waits",
    "local job = require('botglue').job(...) return job.status == 'queued' and job.resumes_at",
    id
  )
end

local function counts(nvim, id)
  return { nvim:host("count", "BotglueJobStarted", id), nvim:host("count", "BotglueJobFinished", id) }
end

test("jobs that meet a limit run again when it ends, in their order", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(1))
  nvim:run(line(2))
  limited(nvim, 1, "Please try again in 2s")
  limited(nvim, 2, "Please try again in 2s")
  nvim:eventually("they run again", "return require('botglue').job(1).status == 'running'")
  nvim:answer(1, { "A" })
  nvim:answer(2, { "B" })
  nvim:settle()
  equal({ nvim:lines(), counts(nvim, 1), counts(nvim, 2) }, { { "A", "B", "c" }, { 1, 1 }, { 1, 1 } })
  equal({ nvim:job(1).status, nvim:job(1).landing, nvim:job(1).resumes_at }, { "done", "applied", nil })
  equal(nvim:host("received", "run")[3].id, 1)
end)

test("a retry runs it at once, with the text as it is then, and those behind it follow", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:lua("require('botglue').setup({ max_parallel = 1 })")
  nvim:run(line(1))
  limited(nvim, 1, "Please try again in 2 hours")
  nvim:run(line(2))
  nvim:eventually("the next one waits too", "return require('botglue').job(2).resumes_at")
  local job = nvim:job(1)
  local wait = job.resumes_at - os.time()
  equal(
    { job.status, wait > 7100 and wait < 7300, nvim:job(2).resumes_at },
    { "queued", true, job.resumes_at }
  )
  equal(nvim:lua("return require('botglue').wait(1, 50) == nil"), true)
  equal(nvim:lua("return require('botglue').statusline()"), "2 running")
  local clock = os.date("%H:%M", job.resumes_at)
  nvim:shows("limit until " .. clock .. " · runs again then")
  nvim:shows("limit until " .. clock .. " · runs then")
  nvim:type("ggOabove<Esc>2Ggg:2<CR>Cchanged<Esc>")
  nvim:type(":Botglue jobs<CR>")
  nvim:shows("limit until")
  nvim:type("q")
  equal(nvim:lua("return require('botglue').retry(1)"), 1)
  suite.eventually("its agent is told the text as it is then", function()
    return nvim:message(1):find("changed", 1, true)
  end)
  nvim:answer(1, { "A" })
  nvim:answer(2, { "B" })
  nvim:settle()
  equal(nvim:lines(), { "above", "A", "B", "c" })
  equal({ nvim:job(1).landing, nvim:job(2).landing, nvim:job(2).resumes_at }, { "applied", "applied", nil })
end)

test("what it cost, its tools and what observers hear go on over its runs", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(line(1))
  nvim:runs(1)
  nvim:lua([[
    _G.told = {}
    require("botglue").on(1, function(update)
      -- When it is told that a tool has not ended is a matter of when the agent ends.
      if not (update.tool and update.tool.status == "unfinished") then
        told[#told + 1] = update.kind .. " " .. (update.text or update.status or "")
      end
    end)
  ]])
  nvim:host("heard")
  nvim:agent(1, "call", "Read", { file_path = "x" })
  nvim:agent(1, "say", "half")
  nvim:shows("│ half")
  limited(nvim, 1, "hit your limit: try again in 3 hours", 0.5)
  nvim:shows("runs again then")
  equal({ nvim:job(1).cost_usd, nvim:screen():find("half", 1, true) }, { 0.5, nil })
  nvim:type(":Botglue retry<CR>")
  nvim:runs(1)
  nvim:answer(1, { "A" }, { cost_usd = 0.25 })
  equal({ nvim:job(1).cost_usd, nvim:job(1).tools[1].status }, { 0.75, "unfinished" })
  equal(nvim:lua("return told"), {
    "tool ",
    "text half",
    "restart ",
    "state queued",
    "state running",
    "text A",
    "state done",
    "finished ",
  })
end)

test("one that waits is rejected and never runs again, and then its limit holds no other", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(line(1))
  limited(nvim, 1, "Please try again in 2 hours")
  nvim:type(":Botglue reject<CR>")
  nvim:eventually("it has ended", "return require('botglue').job(1).status == 'done'")
  equal({ nvim:job(1).landing, nvim:job(1).resumes_at, counts(nvim, 1) }, { "rejected", nil, { 1, 1 } })
  nvim:run(line(2))
  nvim:answer(2, { "B" })
  local asked = vim.tbl_map(function(run)
    return run.id
  end, nvim:host("received", "run"))
  equal({ nvim:lines(), asked }, { { "a", "B" }, { 1, 2 } })
end)

test("one whose place is gone when the limit ends fails with that", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(line(1))
  limited(nvim, 1, "Please try again in 2 hours")
  nvim:type("ggdd:Botglue retry 1<CR>")
  nvim:eventually("it has failed", "return require('botglue').job(1).status == 'failed'")
  equal(nvim:job(1).error, {
    code = "rate_limited",
    message = "its place is not known: select the lines and start a new job",
  })
  equal(counts(nvim, 1), { 1, 1 })
end)

test("a limit fails a job where it is not waited for, is too long or ended long ago", function()
  local nvim = child.with_host({ "a" })
  for id, hours in ipairs({ 7, 2 }) do
    nvim:run(line(1))
    nvim:agent(id, "refuse", 429, ("Please try again in %d hours"):format(hours))
    nvim:host("ended", id)
    local err = nvim:job(id).error
    equal({ err.code, math.floor((err.resets_at - os.time()) / 3600 + 0.5) }, { "rate_limited", hours })
    contains(err.message, os.date("rate limit reached: try again after %H:%M; it says:", err.resets_at))
    nvim:lua("require('botglue').setup({ resume_at_limit = false })")
  end
  nvim:lua("require('botglue').setup({})")
  nvim:run(line(1))
  nvim:agent(3, "refuse", 429, "The limit resets at 2020-01-01T00:00:00Z")
  nvim:host("ended", 3)
  contains(nvim:job(3).error.message, "try again when it ends")
end)
