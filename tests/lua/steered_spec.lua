-- What the specs stand on: the real host, agents that do as a spec says, and jobs of earlier Neovims in its store.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

test(
  "an agent says, calls and ends when the spec says so, in the protocol of the agent that was asked",
  function()
    local nvim = child.with_host({ "a", "b" })
    nvim:lua([[
    local text = { protocol = "text", command = { "not there" } }
    require("botglue").setup({ agents = { mine = text } })
  ]])
    for id, agent in ipairs({ "claude", "droid" }) do
      nvim:run(line(1, 1), { agent = agent })
      nvim:agent(id, "call", "Read", { file_path = "x" })
      nvim:eventually("it reads", "return require('botglue').job(...).tool == 'Read x'", id)
      nvim:agent(id, "result", "call-1", "what is in it")
      nvim:answer(id, { agent })
      equal({ nvim:outcome(id), nvim:lines()[1] }, { { "done", "applied" }, agent })
      equal(nvim:job(id).session_id, "session-job-" .. id)
    end
    nvim:run(line(2, 2), { agent = "mine" })
    nvim:answer(3, { "mine" })
    equal(nvim:lines(), { "droid", "mine" })
    nvim:run(line(2, 2))
    nvim:agent(4, "exit", 7)
    nvim:host("ended", 4)
    equal(nvim:job(4).error.code, "exited")
  end
)

test("what the host replies is held back until the spec gives it", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(1, 3))
  nvim:host("hold", "jobs")
  nvim:type("GAx<Esc>")
  nvim:answer(1, { "A", "b", "c" })
  equal(nvim:job(1).landing, nil)
  nvim:host("deliver", "jobs")
  equal({ nvim:outcome(1), nvim:lines() }, { { "done", "merged" }, { "A", "b", "cx" } })
end)

test("jobs of an earlier Neovim are in the store, and their answers are held there", function()
  local nvim = child.with_host({ "a" })
  nvim:host("earlier", { prompt = "first" }, { prompt = "second", held_for = "review" })
  local jobs = nvim:lua([[
    require("botglue.host.query").ask("history", { limit = 9 }, function(result, err)
      _G.result = err or result.jobs
    end)
    vim.wait(20000, function() return result end, 1)
    return vim.tbl_map(function(job) return { job.prompt, job.landing } end, result)
  ]])
  equal(jobs, { { "second", "held" }, { "first", "applied" } })
end)

test("a host that is killed is followed by another one", function()
  local nvim = child.with_host({ "a" })
  nvim:run(line(1, 1))
  nvim:host("die")
  equal(nvim:job(1).error.code, "host_lost")
  nvim:run(line(1, 1))
  nvim:answer(2, { "A" })
  equal(nvim:lines(), { "A" })
end)
