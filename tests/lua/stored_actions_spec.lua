local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local with_jobs, open = jobs.stored, jobs.open_history

test("<CR> goes to its line, whatever stands there now", function()
  local nvim = with_jobs(1)
  nvim:lua("vim.fn.writefile({ 'a', 'b', 'c' }, path)")
  open(nvim)
  nvim:type("<CR>")
  local is_there = "vim.api.nvim_buf_get_name(0) == vim.uv.fs_realpath(path)"
  equal(
    nvim:lua(("return { %s, vim.fn.line('.'), #vim.api.nvim_list_wins() }"):format(is_there)),
    { true, 2, 1 }
  )
end)

test("<CR> to a file that another Neovim has open says so in one line, and opens it to be read", function()
  local nvim, other = with_jobs(1), child.start()
  local swapping = [[
    vim.o.directory, vim.o.updatecount = select(1, ...), 1
    vim.cmd("autocmd BufReadPost * let b:was_read = 1")
  ]]
  local folder = nvim:lua("return vim.fn.tempname()")
  nvim:lua("vim.fn.mkdir(...)", folder)
  nvim:lua(swapping, folder .. "//")
  other:lua(swapping, folder .. "//")
  other:lua("vim.cmd.edit(...)", nvim:lua("return path"))
  other:type("Omore<Esc>:preserve<CR>")
  open(nvim)
  nvim:type("<CR>")
  nvim:eventually("the file is open", "return vim.api.nvim_buf_get_name(0) == vim.uv.fs_realpath(path)")
  nvim:settle()
  equal(nvim:lua("return { vim.bo.readonly, vim.b.was_read, vim.fn.line('$') }"), { true, 1, 6 })
  equal(nvim:lua("return vim.o.shortmess:find('A', 1, true) == nil"), true)
  local name = nvim:lua("return vim.fs.basename(path)")
  equal(vim.trim(nvim:messages()), "botglue: " .. name .. " is read-only: it has a swap file, see E325")
end)

test("<CR> on a job whose file is gone says so", function()
  local nvim = with_jobs(2, { ["2"] = { path = "" } })
  nvim:lua("vim.fn.delete(path)")
  open(nvim)
  nvim:type("<CR>")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('is not there any more') ~= nil")
  nvim:type("j<CR>")
  nvim:eventually("that too", "return vim.fn.execute('messages'):find('had no file') ~= nil")
  equal(nvim:lua("return vim.fn.bufname()"), "botglue://history")
end)

test("d shows what stood there beside the answer, to be read, also where no buffer can be changed", function()
  local nvim = with_jobs(2, { ["2"] = { lines = false } })
  nvim:type(":set nomodifiable<CR>")
  open(nvim)
  nvim:type("jd")
  contains(nvim:messages(), "botglue: this job has no answer")
  nvim:type("kd")
  nvim:eventually("the tab page is there", "return #vim.api.nvim_list_tabpages() == 2")
  equal(nvim:lua("return { vim.bo.modifiable, vim.wo.diff }"), { false, true })
  equal(nvim:lines(), { "local TWO = 2", "local THREE = 3" })
  nvim:type("q")
  equal(nvim:lua("return { #vim.api.nvim_list_tabpages(), vim.fn.bufname() }"), { 1, "botglue://history" })
  equal(nvim:lua("return #vim.fn.getbufinfo({ buflisted = 1 })"), 1)
end)

test("y yanks the answer into the register that was named", function()
  local nvim = with_jobs(2, { ["2"] = { lines = false } })
  open(nvim)
  nvim:type("jy")
  contains(nvim:messages(), "botglue: this job has no answer")
  nvim:type('k"ay')
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('2 lines of the answer', 1, true)")
  equal(nvim:lua("return { vim.fn.getreg('a'), vim.fn.bufname() }"), {
    "local TWO = 2\nlocal THREE = 3\n",
    "botglue://history",
  })
end)

--- The request that arrives, these fields of it.
local function request(nvim, ...)
  local found = nvim:request(1)
  return vim.tbl_map(function(field)
    return vim.tbl_get(found, unpack(vim.split(field, ".", { plain = true }))) or false
  end, { ... })
end

test("R on a job that was interrupted sends all of its request once more", function()
  local resumed = { session_id = "session-1", at = "message-1" }
  local nvim = with_jobs(1, { ["1"] = { interrupted = true, review = true, resumed = resumed } })
  open(nvim)
  contains(nvim:lines()[1], "interrupted")
  nvim:type("R")
  local project = nvim:lua("return jobs[1].project")
  local sent = request(nvim, "prompt", "review", "resume", "cwd", "selection.rows")
  equal(sent, { "prompt 1", true, resumed, project, { "local two = 2", "local three = 3" } })
end)

test("R on a job whose lines are gone says so, and starts nothing", function()
  local nvim = with_jobs(1)
  nvim:lua("vim.fn.writefile({ 'x' }, path)")
  open(nvim)
  nvim:type("R")
  local told = "vim.fn.execute('messages'):find('text of this job has changed')"
  nvim:eventually("it is told", ("return %s ~= nil"):format(told))
  equal(nvim:host("received", "run"), {})
end)

test("f goes on in its session, at its place", function()
  local nvim = with_jobs(2, { ["2"] = { agent = "mine" } })
  nvim:lua("require('botglue').setup({ agents = { mine = { protocol = 'text', command = { 'x' } } } })")
  open(nvim)
  nvim:type("jf")
  contains(nvim:messages(), "keeps no sessions")
  nvim:type("ggf")
  nvim:type("and now this<C-s>")
  local sent = request(nvim, "prompt", "resume.session_id", "selection.first_line", "cwd")
  equal(sent, { "and now this", "session-1", 2, nvim:lua("return jobs[1].project") })
end)

test("o opens its session in a terminal, by the agent's own command", function()
  local opened = {
    claude = "claude --resume session-1  PROJECT",
    codex = "codex resume session-1 mine empty",
    gemini = "gemini --resume session-1  PROJECT",
    opencode = "opencode --session session-1  empty",
    qwen = "qwen --resume session-1  empty",
    copilot = "copilot --resume session-1  empty",
    droid = "droid --resume session-1  empty",
  }
  for agent, expected in pairs(opened) do
    local nvim = with_jobs(1, { ["1"] = { agent = agent } })
    nvim:lua(
      [[
      local bin, agent = vim.fn.tempname(), ...
      vim.fn.mkdir(bin, "p")
      local echo = 'echo "${0##*/} $* $MINE ${PWD##*/}" > $SAID.new'
      vim.fn.writefile({ "#!/bin/sh", echo, "mv $SAID.new $SAID", "cat" }, bin .. "/" .. agent)
      vim.fn.setfperm(bin .. "/" .. agent, "rwx------")
      vim.env.PATH, vim.env.SAID = bin .. ":" .. vim.env.PATH, bin .. "/said"
      require("botglue").setup({
        agents = { codex = { env = { MINE = "mine" } }, gemini = { directory = "project" } },
      })
    ]],
      agent
    )
    open(nvim)
    nvim:type("o")
    nvim:eventually(
      "a terminal is open",
      "return vim.bo.buftype == 'terminal' and vim.uv.fs_stat(vim.env.SAID)"
    )
    local project = nvim:lua("return vim.fs.basename(jobs[1].project)")
    equal(nvim:lua("return vim.fn.readfile(vim.env.SAID)[1]"), (expected:gsub("PROJECT", project)))
  end
end)

test("t shows its transcript, where that is kept", function()
  local nvim = with_jobs(2, { ["1"] = { transcript = "1.jsonl" } })
  nvim:lua([[
    local folder = vim.fn.stdpath("data") .. "/botglue/transcripts"
    vim.fn.mkdir(folder, "p")
    vim.fn.writefile({ "{}" }, folder .. "/1.jsonl")
  ]])
  open(nvim)
  nvim:type("jt")
  contains(nvim:messages(), "botglue: no transcript is kept")
  nvim:type("kt")
  equal(
    nvim:lua("return { vim.bo.filetype, vim.bo.modifiable, vim.fn.getline(1) }"),
    { "markdown", false, "## You" }
  )
  equal(#nvim:api("list_wins"), 2)
end)
