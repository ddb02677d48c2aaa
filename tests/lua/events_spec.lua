local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- A child with a job on each of its lines; a spec says in `before` what is added to `_G.heard`.
local function with_jobs(lines, before)
  local nvim = child.with_host(lines)
  nvim:lua("_G.heard = {} " .. (before or ""))
  for line = 1, #lines do
    nvim:run(child.line(line))
  end
  return nvim
end

local function heard(nvim)
  return nvim:lua("return heard")
end

--- Adds an autocommand.
local function on(name, body)
  local options = "{ pattern = 'BotglueJob%s', callback = function(event) %s end }"
  return ("vim.api.nvim_create_autocmd('User', " .. options .. ")"):format(name, body)
end

test("an event has the job as it was, and those of a job keep their order", function()
  local nvim = with_jobs(
    { "a" },
    on(
      "*",
      [[
        -- Whether it is told that the agent starts is a matter of when.
        if event.match ~= "BotglueJobUpdated" or event.data.tool then
          table.insert(heard, { event.match:sub(11), event.data.status, event.data.tool })
        end
      ]]
    )
  )
  nvim:agent(1, "call", "Read", { file_path = "a" })
  nvim:eventually("it is told", "return #heard == 2")
  nvim:answer(1, { "A" })
  equal(heard(nvim), {
    { "Started", "queued" },
    { "Updated", "running", "Read a" },
    { "Finished", "done" },
  })
end)

test("a handler may wait for its own job, from the start to the end", function()
  local nvim = child.with_host({ "a" })
  nvim:lua("_G.heard = {} " .. on(
    "Started",
    [[
      local timer = vim.uv.new_timer()
      timer:start(0, 5, vim.schedule_wrap(function()
        if #require("support.host").received("run") == 1 and not timer:is_closing() then
          timer:close()
          require("support.host").answer(1, { "A" })
        end
      end))
      table.insert(heard, { "started", (require("botglue").wait(event.data.id, 5000) or {}).landing })
    ]]
  ) .. on("Finished", "table.insert(heard, { 'finished', require('botglue').wait(1, 0).landing })"))
  equal(nvim:run(child.line(1)), 1)
  equal(heard(nvim), { { "finished", "applied" }, { "started", "applied" } })
end)

test("a handler that asks the user something holds up no other job", function()
  local nvim =
    with_jobs({ "a", "b" }, on("Finished", "if event.data.id == 1 then _G.said = vim.fn.input('and? ') end"))
  nvim:lua("vim.cmd.enew()")
  nvim:agent(1, "answer", "A")
  -- A call that waits for the host would be what the handler holds up.
  suite.eventually("it asks", function()
    return nvim:api("get_mode").mode == "c"
  end)
  nvim:agent(2, "answer", "B")
  nvim:eventually("the other one has ended", "return require('botglue').job(2).status == 'done'")
  equal(nvim:host("count", "BotglueJobFinished", 2), 1)
  nvim:type("yes<CR>")
  equal(nvim:lua("return said"), "yes")
end)

test("handlers may wait for other jobs, also within one another, and lose no event", function()
  local nvim = with_jobs(
    child.numbered(20),
    on(
      "Finished",
      [[
        table.insert(heard, event.data.id .. " " .. event.data.landing)
        local next_one = event.data.id + 1
        if next_one <= 20 then
          vim.schedule(function() require("support.host").answer(next_one, { "x" }) end)
          assert(require("botglue").wait(next_one, 20000).landing == "applied")
        end
      ]]
    )
  )
  nvim:answer(1, { "x" })
  nvim:eventually("all are told", "return #heard == 20")
  equal({ heard(nvim)[1], heard(nvim)[20], nvim:messages() }, { "1 applied", "20 applied", "" })
end)
