--- Answers that the host lands by its own mirror of the buffer: by the rows' identity, in one call.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A child whose host decides where answers land.
---@param lines string[]
---@return Child
local function with_host(lines)
  local nvim = child.with_host(lines)
  -- As a prompt does when it opens.
  nvim:lua([[
    vim.g.botglue_host_lands = true
    require("botglue.client").connect(require("botglue.client").options())
    require("botglue.attach").want(vim.api.nvim_get_current_buf())
    require("botglue.query").ask("mirror", { buffer = vim.api.nvim_get_current_buf() }, function(mirror)
      _G.mirrored = mirror.link
    end)
  ]])
  nvim:eventually("the text is mirrored", "return _G.mirrored == 'sure'")
  return nvim
end

--- Ends a job, and waits until it is known what became of its answer.
---@param nvim Child
---@param id integer
---@param lines string[]
local function answer(nvim, id, lines)
  nvim:answer(id, lines)
  nvim:eventually("the job ends", "return require('botglue').job(...).status == 'done'", id)
end

test("an answer lands in its range, which has moved down", function()
  local nvim = with_host({ "one", "two", "three", "four" })
  nvim:run(line(2, 3))
  nvim:type("ggOabove<Esc>")
  answer(nvim, 1, { "TWO", "AND", "THREE" })
  equal(nvim:lines(), { "above", "one", "TWO", "AND", "THREE", "four" })
  local job = nvim:job(1)
  equal({ job.landing, job.first_line, job.last_line }, { "applied", 3, 5 })
  nvim:type("u")
  equal(nvim:lines(), { "above", "one", "two", "three", "four" })
end)

test("it is merged with what the user typed in its range", function()
  local nvim = with_host({ "one", "two", "three", "four" })
  nvim:run(line(1, 4))
  nvim:type("ggA, typed<Esc>")
  answer(nvim, 1, { "one", "two", "three", "FOUR" })
  equal(nvim:lines(), { "one, typed", "two", "three", "FOUR" })
  equal(nvim:outcome(1), { "done", "merged" })
end)

test("it is held where both changed a row, and where its rows are gone", function()
  local nvim = with_host({ "one", "two", "three", "four" })
  nvim:run(line(1, 1))
  nvim:run(line(3, 3))
  nvim:type("ggA, typed<Esc>3Gdd")
  answer(nvim, 1, { "ONE" })
  answer(nvim, 2, { "THREE" })
  equal(nvim:lines(), { "one, typed", "two", "four" })
  equal(nvim:outcome(1), { "done", "held", "conflict" })
  equal(nvim:outcome(2), { "done", "held", "range_lost" })
end)

test("a part of a row, a block and an insertion", function()
  local nvim = with_host({ "f(a, b)", "ab", "cd", "end" })
  nvim:run({ kind = "char", first = { 1, 2 }, last = { 1, 2 } })
  nvim:run({ kind = "block", first = { 2, 0 }, last = { 3, 0 } })
  nvim:run({ kind = "insert", first = { 4, 0 }, last = { 4, 0 } })
  nvim:type("ggOabove<Esc>")
  answer(nvim, 1, { "xyz" })
  answer(nvim, 2, { "1", "2" })
  answer(nvim, 3, { "new" })
  equal(nvim:lines(), { "above", "f(xyz, b)", "1b", "2d", "end", "new" })
  for id = 1, 3 do
    equal(nvim:outcome(id), { "done", "applied" })
  end
end)

test("an answer that says what is there changes nothing", function()
  local nvim = with_host({ "one", "two" })
  local tick = nvim:lua("return vim.b.changedtick")
  nvim:run(line(1, 2))
  answer(nvim, 1, { "one", "two" })
  equal(nvim:outcome(1), { "done", "unchanged" })
  equal(nvim:lua("return vim.b.changedtick"), tick)
end)

test("it waits until the user is done with what they are in the middle of", function()
  local nvim = with_host({ "one", "two" })
  nvim:run(line(1, 1))
  nvim:type("jv")
  nvim:answer(1, { "ONE" })
  nvim:eventually("it is ready", "return require('botglue').job(1).status == 'ready'")
  equal(nvim:lines(), { "one", "two" })
  nvim:type("<Esc>")
  nvim:eventually("it lands", "return require('botglue').job(1).status == 'done'")
  equal(nvim:lines(), { "ONE", "two" })
end)

test("answers that are ready together land together, each as a step of its own", function()
  local nvim = with_host({ "one", "two", "three", "four", "five" })
  nvim:run(line(1, 1))
  nvim:run(line(3, 3))
  nvim:run(line(5, 5))
  nvim:type("v")
  for id, text in ipairs({ "ONE", "THREE", "FIVE" }) do
    nvim:answer(id, { text })
    nvim:eventually("it is ready", "return require('botglue').job(...).status == 'ready'", id)
  end
  nvim:type("<Esc>")
  for id = 1, 3 do
    nvim:eventually("it lands", "return require('botglue').job(...).status == 'done'", id)
  end
  equal(nvim:lines(), { "ONE", "two", "THREE", "four", "FIVE" })
  nvim:type("uuu")
  equal(nvim:lines(), { "one", "two", "three", "four", "five" })
end)

test("what landed is taken back, also after edits around it", function()
  local nvim = with_host({ "one", "two", "three" })
  nvim:run(line(2, 2))
  answer(nvim, 1, { "TWO", "AND" })
  nvim:type("ggOabove<Esc>Gobelow<Esc>")
  nvim:lua("require('botglue').revert(1)")
  nvim:eventually("it is taken back", "return require('botglue').job(1).landing == 'reverted'")
  equal(nvim:lines(), { "above", "one", "two", "three", "below" })
end)

test("what landed and was changed since stays, and the user is told", function()
  local nvim = with_host({ "one", "two", "three" })
  nvim:run(line(2, 2))
  answer(nvim, 1, { "TWO" })
  nvim:type("2GA, typed<Esc>")
  nvim:lua("require('botglue').revert(1)")
  suite.eventually("the user is told", function()
    return nvim:messages():find("job 1 cannot be reverted: its lines were changed since", 1, true)
  end)
  equal(nvim:lines(), { "one", "TWO, typed", "three" })
  equal(nvim:job(1).landing, "applied")
end)
