-- The four classes of keys, and what a user has of them while the host is stopped or gone. (The windows that only show
-- something: `view_spec`. A host that cannot be started, or has another version: `client_spec`.)

local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local LINES = { "one", "two", "three", "four" }
local TIMES = 5 -- that each of the openers is typed: together more than 40

--- A child in which an answer to row 2 is held and one to row 4 has landed.
local function with_answers()
  local nvim = child.with_host(LINES)
  nvim:run(child.line(2, 2), { review = true })
  nvim:answer(1, { "TWO" })
  nvim:run(child.line(4, 4))
  nvim:answer(2, { "FOUR" })
  nvim:lua("vim.keymap.set('n', '<F3>', '<Plug>(botglue-next)')")
  nvim:type("gg")
  return nvim
end

--- What Lua in the child gives, also while the host owes it a reply.
local function at_once(nvim, code, ...)
  return nvim:api("exec_lua", code, { ... })
end

local function signal(nvim, name)
  at_once(nvim, "vim.uv.kill(vim.fn.jobpid(require('support.host').channel), ...)", name)
end

--- Waits for what a child has whose host is stopped.
local function eventually(nvim, code, expected)
  suite.eventually(code .. " is " .. vim.inspect(expected), function()
    return vim.deep_equal(at_once(nvim, "return " .. code), expected)
  end)
end

local NAME = "vim.fn.bufname()"

-- Each what is typed, what Lua gives then, and what that has to be; and the keys that end it.
for name, case in pairs({
  prompt = { ":Botglue<CR>typed", "vim.fn.getline(1)", "typed", "<C-u><Esc><Esc>" },
  jobs = { ":Botglue jobs<CR>xx", NAME, "botglue://jobs", "q" },
  ["prompt of a job"] = { ":Botglue jobs<CR>pddx", NAME, "botglue://prompt-of-job", "qq" },
  edit = {
    ":Botglue edit 1<CR>ccX<Esc>",
    "vim.fn.getline(1) .. ' ' .. vim.fn.bufname():match('^botglue://answer/')",
    "X botglue://answer/",
    ":close<CR>",
  },
  review = {
    ":new<CR>:Botglue review 1<CR>A!<Esc>",
    "{ vim.fn.bufnr(), vim.fn.getline('.'):sub(-1) }",
    { 1, "!" },
    "u:Botglue! review<CR>:only<CR>",
  },
  diff = { ":Botglue diff 1<CR>ddx", NAME, "botglue://diff/job 1/after", "q" },
  transcript = { ":Botglue transcript 2<CR>ddx", "vim.bo.filetype", "markdown", "q" },
  ["a window that is closed at once"] = { ":Botglue info<CR>qA!<Esc>", "vim.fn.getline(1)", "one!", "u" },
  ["next answer"] = { "gg<F3>~", "vim.fn.getline(2)", "Two", "ugg" },
  ["next hunk"] = {
    ":Botglue review 1<CR>gg]c~",
    "vim.fn.getline(2)",
    "Two",
    "u:Botglue! review<CR>gg",
  },
}) do
  test("what is typed behind a key that opens something is meant for that: " .. name, function()
    local keys, code, expected, ends = unpack(case)
    local nvim = with_answers()
    for _ = 1, TIMES do
      nvim:type(keys)
      equal(nvim:lua("return " .. code), expected)
      nvim:type(ends)
      nvim:eventually("it is over", "return #vim.api.nvim_list_wins() == 1 and vim.fn.bufnr() == 1")
      equal(nvim:lines(1), { "one", "two", "three", "FOUR" })
    end
  end)
end

test("a host that is stopped holds up neither typing nor moving nor closing", function()
  local nvim = with_answers()
  nvim:type(":Botglue jobs<CR>gg")
  signal(nvim, "sigstop")
  nvim:api("input", "j")
  eventually(nvim, "vim.fn.line('.')", 2)
  nvim:api("input", "q")
  eventually(nvim, "#vim.api.nvim_list_wins()", 1)
  nvim:api("input", "A!<Esc>")
  eventually(nvim, "vim.fn.getline(1)", "one!")
  -- Local: the prompt opens without it.
  nvim:api("input", "u:Botglue<CR>typed")
  eventually(nvim, "vim.fn.getline(1)", "typed")
  nvim:api("input", "<Esc><Esc>")
  eventually(nvim, "#vim.api.nvim_list_wins()", 1)
  signal(nvim, "sigcont")
  nvim:settle()
  equal({ nvim:lines(), #nvim:api("list_wins") }, { { "one", "two", "three", "FOUR" }, 1 })
end)

test("a key that changes what a window shows acts once a host that was stopped goes on", function()
  local nvim = with_answers()
  nvim:type(":Botglue jobs<CR>gg")
  local before = nvim:lines()
  signal(nvim, "sigstop")
  nvim:api("input", "sbutler<CR>j")
  eventually(nvim, "vim.fn.line('.')", 2)
  equal(at_once(nvim, "return vim.api.nvim_buf_get_lines(0, 0, -1, true)"), before)
  signal(nvim, "sigcont")
  nvim:eventually("what is looked for is shown", "return vim.api.nvim_buf_line_count(0) < ...", #before)
end)

for keys, said in pairs({
  -- Behind a key that opens something, or takes the user somewhere, what is typed is thrown away.
  [":Botglue review 1<CR>x"] = "the host does not answer: nothing was done",
  [":Botglue jobs<CR>x"] = "the host does not answer: nothing was done",
  ["<F3>x"] = "the host does not answer: nothing was done",
  ["]cx"] = "the host does not answer: nothing was done",
  -- A decision was sent: it is taken once the host goes on.
  ["do"] = "the host does not answer: your command runs once it does",
}) do
  test("a key that asks a host that is stopped gives up after a while, with one line: " .. keys, function()
    local nvim = with_answers()
    nvim:type(":Botglue review 1<CR>")
    nvim:eventually("the hunk is drawn", "return #require('support.host').received('shown') > 0")
    nvim:type("2G")
    at_once(nvim, "require('botglue.host.connection').asked_within = 500")
    nvim:lua("vim.cmd('messages clear')")
    signal(nvim, "sigstop")
    nvim:api("input", keys)
    eventually(nvim, "vim.fn.execute('messages')", "\nbotglue: " .. said)
    eventually(nvim, "vim.fn.getline(2)", "two")
    signal(nvim, "sigcont")
    at_once(nvim, "require('botglue.host.connection').asked_within = ...", suite.DEADLINE)
    nvim:settle()
    nvim:eventually(
      "it is done then or not",
      "return vim.fn.getline(2) == ...",
      keys == "do" and "TWO" or "two"
    )
  end)
end

test("completion of a command gives up after 200 ms where the host is stopped", function()
  local nvim = with_answers()
  at_once(nvim, "require('botglue.host.connection').completed_within = 200")
  signal(nvim, "sigstop")
  nvim:api("input", ":Botglue acc<Tab>")
  eventually(nvim, "vim.fn.getcmdline():sub(1, 11)", "Botglue acc")
  nvim:api("input", "<C-u><Esc>A!<Esc>")
  eventually(nvim, "vim.fn.getline(1)", "one!")
  signal(nvim, "sigcont")
end)

test("where the host is gone what is typed stays, and the next host is told of it", function()
  local nvim = with_answers()
  nvim:type(":Botglue edit 1<CR>ccmine<Esc>")
  nvim:host("restart")
  equal({ nvim:lines(), nvim:lua("return vim.bo.modified") }, { { "mine" }, true })
  nvim:type(":bwipeout!<CR>:Botglue edit 1<CR>")
  equal({ nvim:lines(), nvim:lua("return vim.bo.modified") }, { { "mine" }, true })
  nvim:type(":close<CR>:Botglue<CR>typed")
  nvim:host("restart")
  equal({ nvim:lua("return vim.bo.filetype"), nvim:lines() }, { "botglue-prompt", { "typed" } })
end)

test("a review goes on with the next host", function()
  local nvim = with_answers()
  nvim:type(":Botglue review 1<CR>")
  nvim:eventually("the hunk is drawn", "return #require('support.host').received('shown') > 0")
  nvim:host("restart")
  nvim:eventually("it is drawn again", "return #require('support.host').received('shown') > 1")
  nvim:type("2Gdo")
  nvim:eventually("it is taken", "return vim.fn.getline(2) == 'TWO'")
  contains(nvim:job(1).landing, "applied")
end)
