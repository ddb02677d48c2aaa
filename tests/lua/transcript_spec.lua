-- A transcript as a conversation, while the job runs and afterwards.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local function start()
  local nvim = child.with_job({ "one", "two", "three" }, child.line(2, 2), { prompt = "make it **two**" })
  nvim:eventually("its file is known", "return require('botglue.host.client').job(1).transcript")
  return nvim
end

--- The rows of the current buffer, which is read again until the last is this.
local function rows(nvim, last)
  nvim:eventually(
    "the transcript ends with " .. last,
    "return vim.fn.getline('$') == ... or vim.api.nvim_feedkeys('R', 'm', false)",
    last
  )
  return nvim:lines()
end

--- The folds of the current window, as first and last row, closed ones only.
local function folds(nvim)
  return nvim:lua([[
    local found, row = {}, 1
    while row <= vim.fn.line("$") do
      local last = vim.fn.foldclosedend(row)
      if last > 0 then
        found[#found + 1] = { row, last, vim.fn.foldtextresult(row) }
      end
      row = math.max(row, last) + 1
    end
    return found
  ]])
end

local function did_something(nvim)
  nvim:agent(1, "think", "Hm.\nWell.")
  local read = nvim:agent(1, "call", "Read", { file_path = "/a.rs" })
  nvim:agent(1, "result", read, "first\nsecond")
  local missing = nvim:agent(1, "call", "Read", { file_path = "/b.rs" })
  nvim:agent(1, "result", missing, "there is no such file", true)
end

test("a transcript reads like a conversation, and folds what is long", function()
  local nvim = start()
  did_something(nvim)
  nvim:answer(1, { "TWO" }, { num_turns = 2, input_tokens = 10, output_tokens = 4, cost_usd = 0.01 })
  nvim:type(":Botglue transcript<CR>")
  equal(rows(nvim, "2 turns, 10 tokens in, 4 out, $0.01"), {
    "## You",
    "",
    "make it **two**",
    "",
    "## claude (default)",
    "",
    "> Hm.",
    "> Well.",
    "",
    "`Read /a.rs`",
    "```",
    "first",
    "second",
    "```",
    "`Read /b.rs: there is no such file`",
    "",
    "TWO",
    "",
    "2 turns, 10 tokens in, 4 out, $0.01",
  })
  equal(folds(nvim), { { 7, 8, "  thinking: 2 lines " }, { 11, 14, "  output: 2 lines " } })
  equal(
    nvim:lua("return { vim.bo.filetype, vim.bo.modifiable, vim.wo.conceallevel, vim.fn.line('.') }"),
    { "markdown", false, 2, 1 }
  )
  local screen = nvim:screen()
  contains(screen, "✓ Read /a.rs")
  contains(screen, "✗ Read /b.rs: there is no such file")
  nvim:type("q")
  equal(
    nvim:lua("return { #vim.api.nvim_list_wins(), vim.tbl_count(require('botglue.host.connection').views) }"),
    { 1, 0 }
  )
end)

test("with ! it is what was printed, line by line", function()
  local nvim = start()
  nvim:answer(1, { "TWO" })
  nvim:type(":Botglue! transcript 1<CR>")
  contains(nvim:lines()[1], '"subtype":"init"')
  equal(nvim:lua("return vim.bo.filetype"), "json")
end)

test("a transcript whose file the host has not made yet is opened", function()
  local nvim = start()
  nvim:lua("vim.uv.fs_lstat = function() end")
  nvim:agent(1, "think", "Hm.")
  nvim:type(":Botglue transcript<CR>")
  rows(nvim, "> Hm.")
end)

test("R reads the transcript of a running job again", function()
  local nvim = start()
  local read = nvim:agent(1, "call", "Read", { file_path = "/a.rs" })
  nvim:type(":Botglue transcript<CR>")
  rows(nvim, "`Read /a.rs`")
  contains(nvim:screen(), "▸ Read /a.rs")
  nvim:agent(1, "result", read, "first\nsecond")
  rows(nvim, "```")
  contains(nvim:screen(), "✓ Read /a.rs")
  nvim:agent(1, "refuse", 429, "slow down")
  nvim:eventually("it has failed", "return require('botglue').job(1).status == 'failed'")
  nvim:type("R")
  nvim:eventually(
    "why it failed is told",
    "return table.concat(vim.fn.getline(1, '$'), '\\n'):find('slow down', 1, true)"
  )
end)

test("a program's own output is its answer", function()
  local nvim = child.with_host({ "one", "two" })
  nvim:lua(
    [[require("botglue").setup({ agent = "mine", agents = { mine = { protocol = "text", command = { "mine" } } } })]]
  )
  nvim:run(child.line(2, 2))
  nvim:answer(1, { "TWO" })
  nvim:type(":Botglue transcript<CR>")
  equal(rows(nvim, "TWO"), { "## You", "", "it", "", "## mine", "", "TWO" })
end)

test("a user's autocommand and options do not stand in its way", function()
  local nvim = start()
  nvim:lua([[
    vim.o.foldlevelstart, vim.o.number, vim.o.modifiable = 99, true, false
    vim.api.nvim_create_autocmd("FileType", { pattern = "markdown", command = "throw 'no'" })
  ]])
  did_something(nvim)
  nvim:type(":Botglue transcript<CR>")
  rows(nvim, "`Read /b.rs: there is no such file`")
  equal(#folds(nvim), 2)
  equal(nvim:messages(), "")
end)
