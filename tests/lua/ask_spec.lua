local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local ANSWER = { "It doubles.", "", "```lua", "local b = a * 2", "return b", "```", "", "That is all." }

--- Asks about lines 2 and 3 by the command, as a user does.
local function asked()
  local nvim = child.with_host({ "one", "two", "three", "four" })
  nvim:type(":2,3Botglue ask what does this do?<CR>")
  nvim:request(1)
  nvim:settle()
  return nvim
end

--- The floating window, as { name, lines, focused }, or nil.
local function shown(nvim)
  local found = nvim:lua([[
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= "" then
        return {
          lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false),
          focused = win == vim.api.nvim_get_current_win(),
        }
      end
    end
  ]])
  return found ~= vim.NIL and found or nil
end

local function answer(nvim, lines)
  nvim:answer(1, lines or ANSWER)
  nvim:settle()
end

test("a question says so to the host, and its answer changes nothing", function()
  local nvim = asked()
  local request = nvim:host("received", "run")[1]
  equal({ request.question, request.prompt }, { true, "what does this do?" })
  equal(request.selection.text, { "two", "three" })
  local tick = nvim:api("buf_get_changedtick", 0)
  -- Several blocks would have another answer held.
  local blocks = { "Two:", "```lua", "a()", "```", "and", "```lua", "b()", "```" }
  answer(nvim, blocks)
  equal({ nvim:outcome(1), nvim:job(1).text }, { { "done", "answered" }, table.concat(blocks, "\n") })
  nvim:type("q")
  equal({ nvim:lines(), nvim:api("buf_get_changedtick", 0) }, { { "one", "two", "three", "four" }, tick })
  equal({ nvim:drawn(), nvim:host("count", "BotglueJobFinished", 1) }, { 0, 1 })
end)

--- Where an answer opens by what the user did since they asked: whether it opens, and whether they are in it.
local ARRIVALS = {
  ["who waits where they asked"] = { "", true, true },
  ["who went on"] = { "jj", true, false },
  ["who types"] = { "A and", false },
  ["who cannot see the range"] = { ":enew!<CR>", false },
}

for who, case in pairs(ARRIVALS) do
  test("where an answer opens for " .. who, function()
    local keys, opens, is_focused = unpack(case)
    local nvim = asked()
    nvim:type(keys)
    local before = nvim:lua("return { vim.fn.win_getid(), vim.fn.winsaveview(), vim.fn.mode() }")
    answer(nvim)
    equal(shown(nvim), opens and { lines = ANSWER, focused = is_focused } or nil)
    local told = "botglue: job 1 answered, :Botglue answer 1 shows it: what does this do?"
    contains(nvim:messages(), opens and "" or told)
    if not is_focused then
      equal(nvim:lua("return { vim.fn.win_getid(), vim.fn.winsaveview(), vim.fn.mode() }"), before)
      nvim:type("<Esc>:Botglue answer<CR>")
      equal(shown(nvim), { lines = ANSWER, focused = true })
    end
    equal(nvim:lua("return { vim.bo.filetype, vim.bo.modifiable }"), { "markdown", false })
    contains(nvim:screen(), "put below")
    nvim:type("q")
    equal({ shown(nvim), nvim:lua("return vim.fn.win_getid()") }, { nil, before[1] })
  end)
end

test("with what a script asks the host is told of the screen, on which the answer opens", function()
  local nvim = child.with_host({ "one" })
  nvim:lua("require('botglue').ask({ prompt = 'what' })")
  nvim:request(1)
  equal(nvim:host("received", "geometry")[1].columns, nvim:lua("return vim.o.columns"))
end)

test("an answer that is being read is not replaced by the next one", function()
  local nvim = asked()
  nvim:lua("require('botglue').ask({ prompt = 'and this?' })")
  answer(nvim, { "first" })
  nvim:answer(2, { "second" })
  nvim:settle()
  equal(shown(nvim), { lines = { "first" }, focused = true })
  contains(nvim:messages(), "botglue: job 2 answered")
  nvim:type(":Botglue answer<CR>")
  equal(shown(nvim), { lines = { "second" }, focused = true })
end)

test("p puts it below the range, wherever that is by now, as one undo step", function()
  local nvim = asked()
  answer(nvim)
  nvim:lua(
    "vim.api.nvim_buf_set_lines(vim.fn.bufnr('#') > 0 and vim.fn.bufnr('#') or 1, 0, 0, false, { 'new' })"
  )
  nvim:type("4Gp")
  equal(nvim:lines(), { "new", "one", "two", "three", "local b = a * 2", "return b", "four" })
  equal(shown(nvim), nil)
  nvim:type("u")
  equal(nvim:lines(), { "new", "one", "two", "three", "four" })
end)

test("p on a range that is gone says so", function()
  local nvim = asked()
  answer(nvim)
  nvim:lua("vim.bo[1].modifiable = false")
  nvim:type("p")
  contains(nvim:messages(), "botglue: the buffer of job 1 cannot be changed")
  nvim:lua("vim.bo[1].modifiable = true; vim.api.nvim_buf_set_lines(1, 1, 3, false, {})")
  nvim:settle()
  nvim:type("p")
  contains(nvim:messages(), "botglue: the place of job 1 is not known")
  equal(shown(nvim) ~= nil, true)
end)

test("a question about an answer is one of the answer, also when its window is gone", function()
  local nvim = asked()
  answer(nvim)
  nvim:type(":4,5Botglue ask<CR>")
  contains(nvim:screen(), " answer:4-5 ")
  nvim:type("why?<C-s>")
  nvim:request(2)
  nvim:type("q:Botglue jobs<CR>")
  contains(nvim:screen(), " answer:4 ")
  equal(nvim:screen():find("No Name.*why"), nil)
end)

test("an answer of an earlier host to what was in no file has no place in its title", function()
  local nvim = asked()
  answer(nvim)
  nvim:type("q")
  nvim:host("die")
  nvim:type(":Botglue answer<CR>")
  equal(shown(nvim), { lines = ANSWER, focused = true })
  equal(nvim:screen():find("[No Name]:", 1, true), nil)
end)

test("what the agent printed outside its protocol is an answer too", function()
  local nvim = asked()
  nvim:answer(1, { "raw" }, { held_for = "raw" })
  nvim:settle()
  equal({ nvim:job(1).landing, nvim:job(1).held_for }, { "answered", nil })
  equal(shown(nvim).lines, { "raw" })
end)

test("the maps ask about a selection and about a motion, which . repeats", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua([[
    vim.keymap.set({ "n", "x" }, "ga", "<Plug>(botglue-ask)")
  ]])
  nvim:type("gajwhat?<C-s>")
  nvim:request(1)
  nvim:type("j.")
  nvim:type("ggVgawhat?<C-s>")
  nvim:request(3)
  local said = {}
  for i, request in ipairs(nvim:host("received", "run")) do
    said[i] = { request.question, request.prompt, request.selection.text }
  end
  equal(said, {
    { true, "what?", { "one", "two" } },
    { true, "what?", { "two", "three" } },
    { true, "what?", { "one" } },
  })
end)

test("who typed the question into the prompt waits there too", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:type("2G:2,3Botglue ask<CR>", "what?<C-s>")
  nvim:request(1)
  nvim:settle()
  answer(nvim, { "that" })
  equal(shown(nvim), { lines = { "that" }, focused = true })
  nvim:type("q")
  equal(nvim:api("win_get_cursor", 0), { 2, 0 })
end)

test("the answer to a question about a terminal opens as anywhere else", function()
  local nvim = child.with_host({ "one" })
  nvim:type(":terminal echo done; cat<CR>")
  nvim:eventually("it is there", "return vim.fn.getline(1) == 'done'")
  nvim:type(":1Botglue ask what is it?<CR>")
  nvim:request(1)
  nvim:settle()
  answer(nvim)
  equal(shown(nvim), { lines = ANSWER, focused = true })
end)
