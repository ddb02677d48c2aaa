-- A transcript as a conversation, while the job runs and afterwards.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local function start()
  local nvim = child.with_job({ "one", "two", "three" }, child.line(2, 2), { prompt = "make it **two**" })
  nvim:runs(1)
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

--- How many folds of the current window are closed.
local function closed_folds(nvim)
  return nvim:lua([[
    return vim.iter(vim.fn.range(1, vim.fn.line("$"))):filter(function(row)
      return vim.fn.foldclosed(row) == row
    end):fold(0, function(count) return count + 1 end)
  ]])
end

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

test("a user's autocommand and options do not stand in its way", function()
  local nvim = start()
  nvim:lua([[
    vim.o.foldlevelstart, vim.o.number, vim.o.modifiable = 99, true, false
    vim.api.nvim_create_autocmd("FileType", { pattern = "markdown", command = "throw 'no'" })
  ]])
  nvim:agent(1, "think", "Hm.\nWell.")
  local read = nvim:agent(1, "call", "Read", { file_path = "/a.rs" })
  nvim:agent(1, "result", read, "first\nsecond")
  local missing = nvim:agent(1, "call", "Read", { file_path = "/b.rs" })
  nvim:agent(1, "result", missing, "there is no such file", true)
  nvim:type(":Botglue transcript<CR>")
  rows(nvim, "`Read /b.rs: there is no such file`")
  equal(closed_folds(nvim), 2)
  equal(nvim:messages(), "")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
end)
