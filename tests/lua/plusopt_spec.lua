-- `++agent=` and `++model=` before a prompt. (What is an option, and what completes: `src/command/tests.rs`.)

local child = require("support.child")
local suite = require("support.suite")
local jobs = require("support.jobs")
local contains, equal, test = suite.contains, suite.equal, suite.test

local AGENTS = [[require("botglue").setup({
  model = "own", models = { "opus", "sonnet" },
  agents = { mine = { protocol = "text", command = { "mine" }, models = { "a", "b" } } },
})]]

local function start()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua(AGENTS)
  return nvim
end

--- The agent, the model and the prompt of the newest request, once there are `count`.
local function request(nvim, count)
  local job = nvim:job(nvim:request(count).id)
  return { job.agent, job.model or false, job.prompt }
end

test("an agent and a model before the prompt are the job's", function()
  local nvim = start()
  local rows = {
    { "1Botglue run ++model=opus it", { "claude", "opus", "it" } },
    { "1Botglue! run ++model=not-listed:1 ++agent=claude it", { "claude", "not-listed:1", "it" } },
    { "1Botglue ask ++model=sonnet why?", { "claude", "sonnet", "why?" } },
  }
  for i, row in ipairs(rows) do
    nvim:type(":" .. row[1] .. "<CR>")
    equal(request(nvim, i), row[2], row[1])
  end
end)

test("the prompt's window begins with them", function()
  local nvim = start()
  nvim:type(":2Botglue! ++model=sonnet<CR>")
  contains(nvim:screen(), "· claude sonnet")
  nvim:type("words<C-s>")
  equal(request(nvim, 1), { "claude", "sonnet", "words" })
  nvim:type(":2Botglue ask ++agent=mine<CR>")
  contains(nvim:screen(), "ask · mine")
  nvim:type("<S-Tab>why<C-s>")
  equal(request(nvim, 2), { "mine", "a", "why" })
end)

test("a follow-up takes another model, and keeps its agent", function()
  local nvim = jobs.in_session()
  nvim:type("3G:Botglue followup ++model=opus on<CR>")
  equal(request(nvim, 2), { "claude", "opus", "on" })
  equal(nvim:host("received", "run")[2].resume, { session_id = "s1" })
  nvim:type(":Botglue followup ++agent=droid on<CR>")
  contains(nvim:messages(), "botglue: unknown option ++agent; use ++model=")
end)

test("another try may be another model's or agent's", function()
  local nvim = start()
  nvim:type(":1Botglue run ++model=opus it<CR>")
  request(nvim, 1)
  nvim:answer(1, { "uno" })
  nvim:type(":Botglue retry ++model=sonnet 1<CR>")
  equal(request(nvim, 2), { "claude", "sonnet", "it" })
  nvim:answer(2, { "ein" })
  nvim:type(":Botglue retry ++agent=mine<CR>")
  equal(request(nvim, 3), { "mine", false, "it" })
  nvim:answer(3, { "un" })
  nvim:type(":Botglue retry 1<CR>")
  equal(request(nvim, 4), { "claude", "opus", "it" }, "without them as it was")
end)

test("a follow-up is tried again by its own agent", function()
  local nvim = jobs.in_session()
  nvim:type("3G:Botglue followup on<CR>")
  nvim:answer(2, { "two" }, { session_id = "s2" })
  nvim:type(":Botglue retry ++agent=droid 2<CR>")
  contains(nvim:messages(), "botglue: job 2 goes on in a session of claude")
  nvim:type(":Botglue retry ++agent=claude ++model=opus 2<CR>")
  equal(request(nvim, 3), { "claude", "opus", "on" })
  equal(nvim:request(3).resume.session_id, "s1")
end)
