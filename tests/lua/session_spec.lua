local child = require("support.child")
local suite = require("support.suite")
local jobs = require("support.jobs")
local test, equal, contains = suite.test, suite.equal, suite.contains
local ROWS, line, in_session = jobs.ROWS, child.line, jobs.in_session

test("a retry after an undo is for all that the answer was written over", function()
  local function retried(range, answer, keys)
    local nvim = child.with_host({ "one", "two", "three", "four" })
    nvim:run(range)
    nvim:answer(1, answer)
    nvim:type(keys, ":Botglue retry<CR>")
    local sent = nvim:host("received", "run")[2].selection
    return { sent.kind, sent.first_line, sent.last_line }
  end
  equal(retried(line(2, 3), { "three" }, "u"), { "line", 2, 3 })
  equal(retried(line(2, 3), { "three" }, "u<C-r>"), { "line", 2, 2 })
  equal(retried(line(2, 3), {}, "u"), { "line", 2, 3 })
  equal(retried({ kind = "insert", first = { 2 } }, { "new" }, "u"), { "insert", 2, 2 })
  equal(retried({ kind = "insert", first = { 0 } }, { "new" }, "u"), { "insert", 0, 0 })
  equal(retried({ kind = "insert", first = { 2 } }, { "three" }, "4GAx<Esc>"), { "line", 3, 3 })
end)

test("a retry sends the same on the range as it is now, also of a job that failed", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4), { agent = "claude", model = "haiku", review = true })
  nvim:answer(1, {}, { status = "failed", error = { code = "overloaded", message = "later" } })
  nvim:type("ggOtop<Esc>4GAx<Esc>:Botglue retry<CR>")
  local sent = nvim:request(2)
  equal({ sent.prompt, sent.model, sent.review, sent.resume }, { "it", "haiku", true, nil })
  equal({ sent.selection.first_line, sent.selection.text }, { 3, { "fn one() {", "  1x", "}" } })
  nvim:answer(2, { "B" })
  equal(nvim:job(2).landing, "held")
  equal(nvim:lua("return require('botglue').retry(2)"), 3)
end)

-- Ends a program of a session that prints a line: the line is written to a file. Neovim loses what a program prints
-- before its terminal is there.
local WRITE = [[ >"$SAID.new" && mv "$SAID.new" "$SAID" && exec cat]]

--- Waits for the line of the program that was opened.
---@return string line
local function said(nvim)
  nvim:eventually(
    "the program runs in a terminal",
    "return vim.bo.buftype == 'terminal' and vim.uv.fs_stat(vim.env.SAID) ~= nil"
  )
  return nvim:lua("local line = vim.fn.readfile(vim.env.SAID)[1]; vim.fn.delete(vim.env.SAID); return line")
end

test("a session opens in a terminal in its directory", function()
  local nvim = in_session()
  local program = child.script('echo "$PWD $* $MINE [$CLAUDECODE]"' .. WRITE)
  nvim:lua(
    [[
    vim.env.CLAUDECODE, vim.env.SAID = '1', vim.fn.tempname()
    require('botglue').setup({
      agents = { claude = { command = { ..., 'first' }, args = { '--not' }, env = { MINE = 'mine' } } },
    })
  ]],
    program
  )
  local before = nvim:lua("return vim.api.nvim_get_current_win()")
  nvim:type("3G:Botglue open<CR>")
  local cwd = nvim:host("received", "run")[1].cwd
  equal(said(nvim), cwd .. " first --resume s1 mine []")
  equal(nvim:lua("return { vim.api.nvim_win_is_valid(...), vim.env.CLAUDECODE }", before), { true, "1" })
end)

test("the program of a session is looked up before the terminal is in the project", function()
  local nvim = child.with_host(ROWS)
  nvim:lua([[
    local project = vim.fn.tempname()
    vim.fn.mkdir(project .. '/bin', 'p')
    local program = project .. '/bin/my-agent'
    vim.fn.writefile({ '#!/bin/sh', 'touch ' .. project .. '/ran' }, program)
    vim.fn.setfperm(program, 'rwx------')
    vim.cmd.cd(project)
    _G.project = project
    vim.env.PATH = './bin::bin:' .. vim.env.PATH
  ]])
  nvim:run(line(2, 4))
  nvim:answer(1, { "B" }, { session_id = "s1" })
  nvim:lua("require('botglue').setup({ agents = { claude = { command = { 'my-agent' } } } })")
  contains(jobs.said(nvim, "open"), "my-agent was not found: install it, or set agents.claude.command")
  local wrapper = child.script("my-agent; echo done" .. WRITE)
  nvim:lua("vim.env.SAID = vim.fn.tempname()")
  nvim:lua("require('botglue').setup({ agents = { claude = { command = { ... } } } })", wrapper)
  nvim:type(":Botglue open<CR>")
  equal(said(nvim), "done")
  equal(nvim:lua("return vim.uv.fs_stat(project .. '/ran') == nil"), true)
end)

--- Waits until the raw stream of an ended job is in its file: it is written behind the job's back.
---@return string path
local function transcript_of(nvim, id)
  return nvim:eventually(
    "its file is whole",
    [[
    local dir = require('botglue.host.client').options().data_dir .. '/transcripts'
    local newest = vim.fn.readdir(dir)[...]
    local path = newest and dir .. '/' .. newest
    local rows = path and vim.uv.fs_stat(path) and vim.fn.readfile(path) or {}
    return (rows[#rows] or ""):find('"type":"result"', 1, true) and path
  ]],
    id
  )
end

test("the raw stream opens in a window that cannot be written", function()
  -- The path has what an Ex command would take for the name of the buffer.
  local nvim = in_session({ data_dir = vim.fn.tempname() .. "%x" })
  local path = transcript_of(nvim, 1)
  contains(path, "%x")
  nvim:type(":Botglue! transcript<CR>")
  contains(nvim:lines()[1], '"subtype":"init"')
  contains(nvim:lines()[#nvim:lines()], '"type":"result"')
  equal(
    nvim:lua("return { vim.bo.filetype, vim.bo.modifiable, #vim.api.nvim_list_wins() }"),
    { "json", false, 2 }
  )
  nvim:lua("vim.fn.writefile({ '{}', '{}' }, ...)", path)
  nvim:type(":Botglue! transcript 1<CR>")
  equal(#nvim:lines(), 2)
  nvim:type("qq")
  equal(nvim:lua("return { #vim.api.nvim_list_wins(), vim.fn.bufloaded(...) }", path), { 1, 0 })
end)

test("a modeline in an agent's text takes effect in no window that shows it", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4))
  nvim:agent(1, "print", "vim: set shiftwidth=13 :")
  nvim:answer(1, { "B" })
  transcript_of(nvim, 1)
  nvim:lua([[
    vim.fn.writefile({ 'vim: set shiftwidth=13 :' }, require('botglue.host.process').log_path())
    vim.o.modeline, vim.o.modelines, vim.o.shiftwidth = true, 5, 4
  ]])
  local function width(keys)
    nvim:type(keys)
    contains(nvim:lines()[1], "vim: set shiftwidth=13 :")
    return nvim:lua("return vim.bo.shiftwidth")
  end
  equal(width(":Botglue! transcript<CR>"), 4)
  equal(width(":edit!<CR>"), 4, "read again by the user")
  nvim:type(":only<CR>")
  equal(width(":Botglue log<CR>"), 4)
  equal(width(":edit!<CR>"), 4)
  equal(nvim:lua("return { vim.o.modelines, vim.go.modeline }"), { 5, true })
  local own = nvim:lua([[
    local own = {}
    require("botglue.ui.window").make(own, "botglue://answer")
    return vim.bo[own.bufnr].modeline
  ]])
  equal(own, false, "in the buffers of answers")
end)

test("a transcript that is not there is told of", function()
  local nvim = in_session({ record = false })
  contains(jobs.said(nvim, "transcript"), "no job has a transcript")
  nvim = in_session()
  local path = transcript_of(nvim, 1)
  assert(vim.uv.fs_unlink(path))
  contains(jobs.said(nvim, "transcript"), "this transcript is not there")
  nvim:type(":messages clear<CR>")
  assert(vim.uv.fs_symlink(child.script("theirs"), path))
  contains(jobs.said(nvim, "transcript"), "this transcript is not there")
  equal(nvim:lua("return #vim.api.nvim_list_wins()"), 1, "a link is not followed")
end)

test("a retry keeps the kind of a range, and a follow-up takes what stands there now", function()
  local nvim = child.with_host({ "let a = (b + c);", "tail" })
  nvim:run({ kind = "char", first = { 1, 8 }, last = { 1, 14 } })
  nvim:answer(1, { "(d)" }, { session_id = "s1" })
  nvim:type("gg0f=aX<Esc>")
  for i, call in ipairs({ "retry(1)", "followup(1, 'x')" }) do
    equal(nvim:lua("return require('botglue')." .. call), i + 1)
    local sent = nvim:request(i + 1).selection
    equal({ sent.kind, sent.text, sent.cols }, { "char", { "(d)" }, { 9 } })
  end
end)
