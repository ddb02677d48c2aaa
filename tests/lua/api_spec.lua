local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local MS = "botglue: ms must be a number of milliseconds"

test("wrong options raise one error that names the field", function()
  local nvim = child.with_host({ "a", "b" })
  local function wrong(opts, expected)
    local err = nvim:lua("return select(2, pcall(require('botglue').run, ...))", opts)
    contains(err, "botglue: " .. expected)
    equal(err:find("\n"), nil)
    equal(#nvim:lua("return require('botglue').jobs()"), 0)
  end
  local function range(spec)
    return { prompt = "it", range = spec }
  end
  wrong(3, "opts must be a table")
  wrong({ prompt = 1 }, "prompt must be a string")
  wrong({ prompt = " " }, "prompt must be a text with a word")
  wrong({ prompt = "it", agent = "gpt" }, 'agent: unknown agent "gpt"; use claude, codex, copilot')
  wrong({ prompt = "it", model = 1 }, "model must be the name of a model")
  wrong({ prompt = "it", review = 1 }, "review must be a boolean")
  wrong({ prompt = "it", bufnr = 99 }, "bufnr must be an existing buffer, got 99")
  wrong({ promt = "it" }, "opts has no field promt")
  wrong(range(1), "range must be a table")
  wrong(range({ kind = "word" }), "range.kind must be")
  wrong(
    range({ kind = "line", first = { 0 }, last = { 1 } }),
    "range.first[1] must be a line of the buffer (1 to 2)"
  )
  wrong(
    range({ kind = "char", first = { 1, 0 }, last = { 1 } }),
    "range.last[2] must be a byte column from 0"
  )
  wrong(range({ kind = "insert", first = { 3 } }), "range.first[1] must be a line of the buffer (0 to 2)")
end)

test("a job table has what is known, and is a new one each time", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:lua("vim.api.nvim_buf_set_name(0, '/project/some.lua')")
  nvim:run(child.line(2), { model = "opus" })
  nvim:agent(1, "begin", { session_id = "s", model = "opus" })
  nvim:agent(1, "call", "Read", { file_path = "x" })
  nvim:eventually("it reads", "return require('botglue').job(1).tool")
  local job = nvim:job(1)
  equal(job.elapsed_ms >= 0, true)
  job.elapsed_ms = nil
  local expected = {
    id = 1,
    status = "running",
    bufnr = 1,
    path = "/project/some.lua",
    kind = "line",
    first_line = 2,
    last_line = 2,
    prompt = "it",
    agent = "claude",
    model = "opus",
    session_id = "s",
    tool = "Read x",
    tools = { { id = "call-1", name = "Read", status = "running" } },
  }
  equal(job, expected)
  nvim:lua("require('botglue').job(1).tools[1].name = 'mine'")
  equal(nvim:job(1).tools[1].name, "Read")
  nvim:agent(1, "result", "call-1", "File does not exist.", true)
  local function spent()
    job = nvim:job(1)
    return { job.cost_usd, job.num_turns, job.input_tokens, job.output_tokens }
  end
  nvim:agent(1, "conclude", "B", { cost_usd = 0.5, num_turns = 2, input_tokens = 3, output_tokens = 4 })
  nvim:host("ended", 1)
  equal(spent(), { 0.5, 2, 3, 4 })
  -- An agent that goes on after its answer spends more.
  nvim:agent(1, "answer", "more", { cost_usd = 0.75, num_turns = 1, input_tokens = 6, output_tokens = 7 })
  nvim:eventually("it is known", "return require('botglue').job(1).cost_usd == 0.75")
  equal(spent(), { 0.75, 3, 9, 11 })
  equal(job.tools, { { id = "call-1", name = "Read", status = "error", error = "File does not exist." } })
  equal(job.tool, nil)
end)

test("jobs are listed oldest first; one that is not there is nil", function()
  local nvim = child.with_host({ "a" })
  for _ = 1, 3 do
    nvim:run({ kind = "insert", first = { 1 } })
  end
  local ids = nvim:lua("return vim.tbl_map(function(job) return job.id end, require('botglue').jobs())")
  equal(ids, { 1, 2, 3 })
  equal(nvim:lua("return require('botglue').job(9)"), vim.NIL)
  equal(nvim:lua("return require('botglue').wait(9, 10)"), vim.NIL)
  for _, ms in ipairs({ "nil", "-1", "'soon'", "0 / 0" }) do
    local call = ("return select(2, pcall(require('botglue').wait, 1, %s))"):format(ms)
    equal(nvim:lua(call):match("^(botglue: ms must be a number of milliseconds)"), MS, ms)
  end
end)

test("wait keeps the event loop running, gives up in time, and returns after events", function()
  local nvim = child.with_host({ "a" })
  nvim:run({ kind = "insert", first = { 1 } })
  equal(nvim:lua("return require('botglue').wait(1, 20)"), vim.NIL)
  for id, ms in ipairs({ "5000", "math.huge", "2 ^ 32 + 1" }) do
    nvim:lua(
      "local id = ...; vim.defer_fn(function() require('support.host').answer(id, { 'x' }) end, 20)",
      id
    )
    local code = "return { botglue.wait(%d, %s).landing, host.count('BotglueJobFinished', %d) }"
    local told = "local botglue, host = require('botglue'), require('support.host') "
      .. code:format(id, ms, id)
    equal(nvim:lua(told), { "applied", 1 }, ms)
    nvim:run({ kind = "insert", first = { 1 } })
  end
end)

test("a status line counts what runs and what is held, and is drawn again when that changes", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:lua([[
    local botglue = require("botglue")
    botglue.setup({ max_parallel = 2 })
    function _G.counts()
      return ("<%s|%s>"):format(botglue.statusline(), botglue.statusline({ cost = true }))
    end
    vim.o.laststatus, vim.o.statusline = 2, "%{v:lua.counts()}"
  ]])
  local function shows(counts, cost)
    nvim:shows(("<%s|%s>"):format(counts, cost or counts))
  end
  shows("")
  for i = 1, 3 do
    nvim:run(child.line(i))
  end
  shows("3 running")
  nvim:answer(1, { "A" }, { cost_usd = 0.314, held_for = "ambiguous" })
  shows("2 running, 1 held", "2 running, 1 held, $0.31")
  nvim:answer(2, { "B" })
  nvim:answer(3, { "c" })
  shows("1 held", "1 held, $0.31")
  nvim:lua("require('botglue').reject(1)")
  shows("", "$0.31")
end)

test("what is sent along: the lines around, diagnostics, the project", function()
  local nvim = child.with_host(child.numbered(20))
  local directory = vim.fn.tempname()
  vim.fn.mkdir(directory .. "/.git", "p")
  suite.finally(function()
    vim.fn.delete(directory, "rf")
  end)
  nvim:lua(
    [[
      vim.api.nvim_buf_set_name(0, ... .. "/src/a.lua")
      vim.bo.filetype = "rust"
      local severity = vim.diagnostic.severity
      vim.diagnostic.set(vim.api.nvim_create_namespace("t"), 0, {
        { lnum = 9, col = 0, message = "on it", severity = severity.ERROR, source = "rustc" },
        { lnum = 7, end_lnum = 9, col = 0, message = "into it", severity = severity.HINT },
        { lnum = 3, col = 0, message = "elsewhere" },
      })
      require("botglue").setup({ context = { lines = 3, bytes = 35 }, model = "opus" })
    ]],
    directory
  )
  nvim:run(child.line(10))
  local request = nvim:host("received", "run")[1]
  -- 35 bytes hold four lines of 6 or 7 bytes and their ends, taken from both sides in turn.
  equal({ request.before, request.after }, { { "line 8", "line 9" }, { "line 11", "line 12" } })
  equal(request.diagnostics, {
    { line = 10, last = 10, severity = "error", message = "on it", source = "rustc" },
    { line = 8, last = 10, severity = "hint", message = "into it", source = "" },
  })
  local root = vim.uv.fs_realpath(directory)
  equal({ vim.uv.fs_realpath(request.cwd), vim.fs.basename(request.path) }, { root, "a.lua" })
  equal({ request.filetype, nvim:job(1).model }, { "rust", "opus" })
end)

test("an unknown option warns, and setup() sets the others", function()
  local nvim = child.start()
  nvim:lua("require('botglue').setup({ timeuot = 1, timeout = 9 })")
  contains(nvim:messages(), "botglue: there is no option timeuot")
  -- A value that is no string, but can be joined to one: Neovim shows no traceback of it at its start.
  local raised = nvim:lua(
    "local _, raised = pcall(require('botglue').setup, { timeout = 'x' }); return { type(raised), raised .. '' }"
  )
  equal(raised[1], "table")
  contains(raised[2], "botglue: option timeout must be")
  equal(nvim:lua("return require('botglue.host.client').options().timeout"), 9)
end)

test("an unknown option in vim.g.botglue warns once", function()
  local nvim = child.with_host({ "a" })
  nvim:lua("vim.g.botglue = vim.tbl_extend('error', vim.g.botglue, { timeuot = 1 })")
  nvim:run({ kind = "insert", first = { 1 } })
  nvim:run({ kind = "insert", first = { 1 } })
  local _, count = nvim:messages():gsub("botglue: there is no option timeuot", "")
  equal(count, 1)
end)

test("a buffer whose reading makes a user's autocommand fail is loaded all the same", function()
  local nvim = child.with_host({ "a" })
  local bufnr = nvim:lua([[
    local path = vim.fn.tempname()
    vim.fn.writefile({ "in the file" }, path)
    vim.api.nvim_create_autocmd("BufReadPost", { callback = function() error("theirs") end })
    return vim.fn.bufadd(path)
  ]])
  nvim:run(child.line(1), { bufnr = bufnr })
  equal(nvim:host("received", "run")[1].selection.text, { "in the file" })
end)

test("the lines of an answer that left nothing at the top count from 1", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(child.line(1, 2))
  nvim:answer(1, {})
  local job = nvim:job(1)
  equal({ nvim:lines(), job.landing, job.first_line, job.last_line }, { { "c" }, "applied", 1, 1 })
  nvim:type(":Botglue revert 1<CR>")
  job = nvim:job(1)
  equal({ nvim:lines(), job.landing, job.first_line, job.last_line }, { { "a", "b", "c" }, "reverted", 1, 2 })
end)
