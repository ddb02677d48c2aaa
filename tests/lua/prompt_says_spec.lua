-- What the prompt says: what will happen, what stands in the way of a job, which keys there are, why one did nothing.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local function start()
  return child.with_host({ "one", "two", "three" })
end

--- What it says below its text, as one line.
local function said(nvim)
  local rows = vim.iter(nvim:screen():gmatch("│(.-)│")):map(vim.trim):totable()
  return vim.trim(table.concat(vim.list_slice(rows, #nvim:lines() + 1), " "))
end

test("a host that is not there is said before a word is typed, and below what is", function()
  local nvim = child.start("vim.g.botglue = { host = '/nowhere/host' }")
  nvim:api("ui_try_resize", 50, 24)
  nvim:type(":Botglue<CR>words<CR>more")
  nvim:shows("more")
  local what = "✗ host missing: run `make install` in the plugin's directory, or see :checkhealth botglue; "
  equal(said(nvim), what .. "there is none at /nowhere/host")
end)

test("an agent that is not installed is said, and that is over with another agent", function()
  local nvim = start()
  nvim:lua([[require("botglue").setup({
    agent = "mine",
    agents = {
      mine = { protocol = "text", command = "my-agent" },
    },
  })]])
  nvim:type(":2Botglue<CR>")
  local missing_one = "✗ `my-agent` is not in PATH: install it, or set agents.mine.command"
  for _, expected in ipairs({ missing_one, "", missing_one }) do
    equal(said(nvim), expected)
    nvim:type("<Tab>")
  end
end)

test("an agent whose last job was not logged in says so, until one was", function()
  local nvim = start()
  nvim:lua([[require("botglue").setup({ agents = { droid = { command = { "true" } } } })]])
  nvim:type(":2Botglue<CR>")
  equal(said(nvim), "")
  nvim:run(child.line(1))
  nvim:agent(1, "refuse", 401, "Please run /login")
  nvim:host("ended", 1)
  local login = "run `claude` in a terminal and its command `/login`"
  equal(said(nvim), ("✗ %s: the last job of claude was not logged in"):format(login), "it is open already")
  nvim:type("<Tab>")
  equal(said(nvim), "", "another agent")
end)

test("a host of another version is said as soon as it has greeted", function()
  local nvim = child.start("package.loaded['botglue.version'] = '9.9.9'")
  nvim:lua("require('botglue').setup({ host = ... })", require("support.host").PROGRAM)
  nvim:type(":Botglue<CR>")
  suite.eventually("it is said", function()
    return said(nvim):find("✗ the host is version ", 1, true)
  end)
end)

test("its footer has the keys of the mode, and the key for more of them works there", function()
  local nvim = start()
  nvim:api("ui_try_resize", 50, 20)
  nvim:type(":2Botglue<CR>")
  contains(nvim:screen(), "<C-s> send · <C-g> mode · <C-l> more")
  nvim:type("<C-l>")
  contains(nvim:screen(), "<Esc>q close · <S-Tab> model · <C-l> more")
  nvim:type("words<Esc>g?")
  contains(nvim:screen(), "<Esc> close · <S-Tab> model · g? more")
  equal(nvim:lines(), { "words" })
end)
