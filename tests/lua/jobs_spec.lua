local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- Six lines in a named buffer; on each of the first ones a job.
---@param count integer
---@param options table?
local function start(count, options)
  local nvim = child.with_host({ "one", "two", "three", "four", "five", "six" })
  nvim:lua("require('botglue').setup(...)", options or vim.empty_dict())
  nvim:api("buf_set_name", 0, "/project/src/config.rs")
  for i = 1, count do
    nvim:run({ kind = "line", first = { i }, last = { i } }, { prompt = "prompt " .. i })
  end
  return nvim
end

local function open(nvim)
  nvim:type(":Botglue jobs<CR>")
  nvim:eventually("the list is open", "return vim.fn.bufname() == 'botglue://jobs'")
end

--- The rows of the list, runs of blanks as one, seconds as N.
local function list(nvim)
  return nvim:lua([[
    local rows = vim.api.nvim_buf_get_lines(vim.fn.bufnr("^botglue://jobs$"), 0, -1, true)
    return vim.tbl_map(function(row)
      return (vim.trim(row:gsub("%s+", " ")):gsub("%d+s%f[%s%z]", "Ns"))
    end, rows)
  ]])
end

local function title(nvim)
  local row = nvim:screen():match("╭ (jobs[^\n]*)╮")
  return vim.trim((row:gsub("─", "-"):gsub("%-+", "-")))
end

test("it follows the jobs, and its cursor stays on one", function()
  local nvim = start(2)
  open(nvim)
  suite.eventually("a sign turns in the row of the one that runs", function()
    return nvim:screen():find("│ [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]+  1  …t/src")
  end)
  nvim:type("j")
  equal(nvim:api("win_get_cursor", 0)[1], 2)
  nvim:agent(1, "say", "one")
  nvim:eventually("it is drawn", "return vim.fn.getline(2):find('writing') ~= nil")
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } }, { prompt = "a\nthird\27[31m", bufnr = 1 })
  nvim:eventually("it is in the list", "return #vim.fn.getline(1, '$') == 3")
  equal(nvim:api("win_get_cursor", 0)[1], 3)
  contains(list(nvim)[1], "a third [31m")
  nvim:answer(1, { "ONE" })
  nvim:eventually("it has landed", "return vim.fn.getline(3):find('landed') ~= nil")
  contains(title(nvim), "2 running")
end)

test("the cursor goes with its job into the past", function()
  local nvim = start(3)
  open(nvim)
  nvim:answer(3, { "THREE" })
  nvim:eventually("it has landed", "return vim.fn.getline(3):find('landed') ~= nil")
  equal(nvim:api("win_get_cursor", 0)[1], 3)
  nvim:type("<CR>")
  equal(nvim:api("get_current_line"), "THREE")
end)

test("nothing is drawn while nothing changes, and no timer is left", function()
  local nvim = start(1)
  nvim:answer(1, { "ONE" })
  open(nvim)
  local tick = nvim:lua("return vim.b.changedtick")
  nvim:ticks(3)
  equal(nvim:lua("return vim.b.changedtick"), tick)
  nvim:note_timers()
  nvim:run({ kind = "line", first = { 3 }, last = { 3 } }, { bufnr = 1 })
  local function tick_still(what, count)
    local active = "#vim.tbl_filter(function(timer) return timer:is_active() end, timers)"
    nvim:eventually(what, ("return %s == ..."):format(active), count)
  end
  tick_still("status line and list tick together", 1)
  nvim:type("q")
  nvim:answer(2, { "MORE" })
  tick_still("nothing ticks", 0)
  equal(nvim:lua("return #vim.api.nvim_get_autocmds({ event = 'User', pattern = 'BotglueJob*' })"), 0)
end)

test("however much the jobs have to say, it is drawn ten times a second", function()
  local nvim = start(2)
  open(nvim)
  nvim:lua([[
    _G.draws = 0
    local set_lines = vim.api.nvim_buf_set_lines
    vim.api.nvim_buf_set_lines = function(bufnr, ...)
      draws = draws + (bufnr == vim.fn.bufnr("^botglue://jobs$") and 1 or 0)
      return set_lines(bufnr, ...)
    end
    _G.from = vim.uv.now()
    for i = 1, 300 do
      vim.defer_fn(function()
        require("support.host").steer(1, "call", "Read", { file_path = tostring(i) })
      end, i)
    end
  ]])
  nvim:eventually("all is said", "return require('botglue').job(1).tool == 'Read 300'")
  local draws, ms = nvim:lua("return draws"), nvim:lua("return vim.uv.now() - from")
  -- Two rows each time, of which one has a spinner alone.
  equal(draws <= 2 * (ms / 120 + 2), true, draws .. " rows in " .. ms .. " ms")
end)

test("<CR> jumps to the range as it is now, in the window one came from", function()
  local nvim = start(2)
  nvim:type(":split<CR>ggOzero<Esc>")
  local win = nvim:lua("return vim.api.nvim_get_current_win()")
  nvim:type(":enew!<CR>")
  open(nvim)
  nvim:type("j<CR>")
  local at = nvim:lua("return { vim.api.nvim_get_current_win(), vim.fn.bufname('%'), vim.fn.getline('.') }")
  equal(at, { win, "/project/src/config.rs", "one" })
  equal(#nvim:api("list_wins"), 2)
  nvim:type("<C-o>")
  equal(nvim:lua("return vim.fn.bufname('%')"), "")
end)

test("<CR> leaves a window without a file as it is, where there is another", function()
  local nvim = start(2)
  local win = nvim:lua("return vim.api.nvim_get_current_win()")
  for _, keys in ipairs({ ":vnew<CR>:copen<CR>", "<C-w>o:enew | set buftype=nofile<CR>" }) do
    nvim:type(keys)
    open(nvim)
    nvim:type("j<CR>")
    equal(nvim:lua("return { vim.api.nvim_get_current_win(), vim.fn.getline('.') }"), { win, "one" }, keys)
  end
end)

test("<CR> on a job whose buffer is gone says so, or reads its file again", function()
  local nvim = start(1)
  nvim:answer(1, { "ONE" })
  local path = nvim:lua("return vim.fn.tempname() .. '.txt'")
  nvim:api("command", "enew!")
  nvim:lua("vim.fn.writefile({ 'a', 'b', 'c' }, ...)", path)
  nvim:api("command", "edit " .. path)
  nvim:run({ kind = "line", first = { 2 }, last = { 2 } })
  nvim:answer(2, { "b" })
  nvim:api("command", "enew")
  nvim:api("command", "bwipeout! " .. path)
  nvim:api("command", "1bwipeout!")
  open(nvim)
  nvim:type("j<CR>")
  contains(nvim:messages(), "/project/src/config.rs is not there any more")
  nvim:type("k<CR>")
  equal(
    nvim:lua("return { vim.fn.expand('%:p'), vim.fn.line('.') }"),
    { nvim:lua("return vim.uv.fs_realpath(...)", path), 2 }
  )
end)

test("r opens a held answer, and says where there is none", function()
  local nvim = start(2)
  nvim:answer(1, { "1" }, { held_for = "ambiguous" })
  open(nvim)
  nvim:type("r")
  contains(nvim:messages(), "botglue: job 2 is not held")
  nvim:type("jr")
  suite.eventually("its blocks are listed", function()
    return nvim:screen():find("job 1: 2 blocks", 1, true)
  end)
end)

test("R sends the prompt once more, and says where it cannot", function()
  local nvim = start(2)
  nvim:answer(1, { "ONE" })
  open(nvim)
  nvim:type("R")
  contains(nvim:messages(), "botglue: job 2 has not ended yet")
  nvim:type("jR")
  local request = nvim:eventually("it is sent", "return require('support.host').received('run')[3]")
  equal({ request.prompt, request.selection.rows }, { "prompt 1", { "ONE" } })
  nvim:eventually("it is in the list", "return vim.fn.line('$') == 3")
  equal(nvim:api("win_get_cursor", 0)[1], 3)
end)

test("f goes on in the session of a job, at its range", function()
  local nvim = start(3)
  nvim:answer(1, { "ONE" }, { session_id = "s-1" })
  nvim:answer(2, { "TWO" }, { session_id = vim.NIL })
  nvim:type("3G")
  open(nvim)
  nvim:type("f")
  contains(nvim:messages(), "botglue: job 3 has not ended yet: wait for it")
  nvim:type("jf")
  contains(nvim:messages(), "job 2 has no session to go on in")
  nvim:type("jf")
  require("support.written").answer_prompt(nvim, "and now this")
  local request = nvim:eventually("it is sent", "return require('support.host').received('run')[4]")
  equal({ request.prompt, request.resume.session_id, request.selection.rows }, {
    "and now this",
    "s-1",
    { "ONE" },
  })
end)

test("t shows the transcript of a job", function()
  local nvim = start(1)
  nvim:eventually("its own is known", "return require('botglue.host.client').job(1).transcript ~= nil")
  nvim:lua([[
    _G.path = vim.fn.tempname()
    vim.fn.writefile({ "{}" }, path)
    require("botglue.host.client").job(1).transcript = path
  ]])
  open(nvim)
  nvim:type("t")
  equal(nvim:lua("return { vim.bo.filetype, vim.fn.getline(1) }"), { "markdown", "## You" })
  equal(#nvim:api("list_wins"), 2)
end)

test("the keys of an empty list do no harm, and it tells of answers of earlier sessions", function()
  local nvim = child.with_host({ "one" })
  open(nvim)
  nvim:type("<CR>")
  contains(nvim:messages(), "botglue: there is no job")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
  nvim:type(":Botglue jobs 3<CR>")
  contains(nvim:messages(), "botglue: jobs takes no argument")
  nvim:lua("require('botglue.host.connection').earlier = 2")
  open(nvim)
  equal(list(nvim), { "no jobs in this session; :Botglue review shows 2 held in earlier sessions" })
end)

test("why there is no list where the host cannot start is said in one line", function()
  local nvim = child.with_host({ "one" })
  nvim:lua("require('botglue').setup({ host = '/nowhere/botglue', notify = 'none' })")
  nvim:type(":Botglue jobs<CR>")
  contains(nvim:messages(), "/nowhere/botglue")
  equal(#nvim:api("list_wins"), 1)
end)

test("the status line counts a waiting job as running, and tells the cost if asked to", function()
  local nvim = start(3, { max_parallel = 2 })
  equal(nvim:lua("return require('botglue').statusline({ cost = true })"), "3 running")
  nvim:answer(1, { "ONE" }, { cost_usd = 0.3 })
  nvim:answer(2, { "2" }, { cost_usd = 0.014, held_for = "ambiguous" })
  equal(nvim:lua("return require('botglue').statusline()"), "1 running, 1 held")
  equal(nvim:lua("return require('botglue').statusline({ cost = true })"), "1 running, 1 held, $0.31")
end)

test(
  "of the jobs that have ended the newest 1000 are known, of the held ones all; the cost is that of all",
  function()
    local nvim = child.with_host({ "one", "two" })
    nvim:lua("require('botglue').setup({ notify = 'none' })")
    nvim:run(child.line(1, 1))
    nvim:answer(1, { "x" }, { held_for = "ambiguous", cost_usd = 1 })
    nvim:run(child.line(2, 2))
    nvim:answer(2, { "two" }, { cost_usd = 0.01 })
    -- Without a host the others fail at once.
    nvim:lua("require('botglue').setup({ host = '/nowhere/botglue', notify = 'none' })")
    nvim:host("die")
    nvim:lua([[
      local botglue = require("botglue")
      for _ = 3, 1102 do
        botglue.run({ prompt = "p", range = { kind = "line", first = { 2 }, last = { 2 } } })
      end
    ]])
    nvim:eventually("they have failed", "return require('botglue').job(1102).status == 'failed'")
    nvim:lua([[
      local botglue = require("botglue")
      botglue.setup({ notify = "none" })
      botglue.run({ prompt = "p", range = { kind = "line", first = { 2 }, last = { 2 } } })
    ]])
    nvim:runs(1103)
    local function known(id)
      return nvim:lua("return require('botglue').job(...) ~= nil", id)
    end
    equal(
      { known(1), known(2), known(102), known(103), known(1102), known(1103) },
      { true, false, false, true, true, true }
    )
    equal(nvim:lua("return #require('botglue').jobs()"), 1002)
    equal(nvim:lua("return require('botglue').statusline({ cost = true })"), "1 running, 1 held, $1.01")
    open(nvim)
    -- Those that no host has had are in no list.
    equal(#list(nvim), 3)
  end
)

test("of jobs that are not known any more nothing is left", function()
  local nvim = child.with_host({ "one" })
  nvim:lua([[
    _G.weak = setmetatable({}, { __mode = "k" })
    local botglue = require("botglue")
    -- Without a host they fail at once.
    botglue.setup({ host = "/nowhere/botglue", notify = "none" })
    for i = 1, 1100 do
      local bufnr = i % 100 == 0 and vim.api.nvim_create_buf(false, true) or 1
      botglue.run({ prompt = "p", bufnr = bufnr, range = { kind = "insert", first = { 0 } } })
      weak[require("botglue.host.client").job(i)] = true
      assert(botglue.wait(i, 5000).status == "failed")
      if bufnr ~= 1 then
        vim.api.nvim_buf_delete(bufnr, { force = true })
      end
    end
  ]])
  nvim:eventually(
    "they are gone",
    [[
    require("support.host").events = {}
    -- Compiled code keeps what it was compiled with.
    jit.flush()
    collectgarbage()
    return vim.tbl_count(weak) == 1000
  ]]
  )
end)

test("amounts that become known after the answer are there at once", function()
  local nvim = start(2)
  --- An agent has answered, and goes on for a while.
  local function conclude(id, cost_usd)
    nvim:agent(id, "conclude", "an answer", { cost_usd = cost_usd })
    nvim:host("ended", id)
  end
  local function shows(sum)
    suite.eventually("the title has " .. sum, function()
      return title(nvim):find(sum, 1, true)
    end)
  end
  open(nvim)
  conclude(1, 0.02)
  shows("$0.02")
  nvim:agent(1, "answer", "more", { cost_usd = 0.5, num_turns = 3 })
  nvim:eventually("the row has it", "return vim.fn.getline(2):find('$0.50', 1, true) ~= nil")
  conclude(2, 0.03)
  shows("$0.53")
  nvim:type("q")
  nvim:agent(2, "answer", "more", { cost_usd = 0.7 })
  nvim:eventually("it is known", "return require('botglue').job(2).cost_usd == 0.7")
  equal(nvim:messages(), "", "a list that is closed is none")
end)
