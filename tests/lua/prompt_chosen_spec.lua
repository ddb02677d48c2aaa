-- The agent and the model that were chosen last in the prompt are the first choice of the next one in the project.

local child = require("support.child")
local suite = require("support.suite")
local choice = require("support.prompt").choice
local equal, test = suite.equal, suite.test

local AGENTS = [[{
  droid = { command = { "true" } },
  mine = { protocol = "text", command = { "cat" }, models = { "a", "b" } },
}]]

--- A child in a project.
---@param options string? fields of the options, as Lua
local function start(options)
  local nvim = child.with_host({ "one", "two" })
  nvim:lua(
    ("vim.g.botglue = vim.tbl_deep_extend('force', vim.g.botglue, { agents = %s %s })"):format(
      AGENTS,
      options and ", " .. options or ""
    )
  )
  return nvim
end

--- What a prompt begins with.
local function first(nvim, keys)
  nvim:type(keys or ":2Botglue<CR>")
  local words = choice(nvim)
  nvim:type("<Esc><Esc>")
  return words
end

local function choose(nvim, keys)
  nvim:type(":1Botglue<CR>" .. keys .. "<Esc><Esc>")
end

test("they come first in the next prompt, whether this one was sent or not", function()
  local nvim = start()
  equal(first(nvim), "claude")
  choose(nvim, "<S-Tab>")
  equal(first(nvim), "claude opus")
  nvim:type(":1Botglue<CR><Tab><Tab><S-Tab>words<C-s>")
  equal(nvim:host("received", "run")[1].agent, "mine")
  equal(first(nvim), "mine a")
end)

test("where nothing was chosen, the agent of the project's newest job comes first", function()
  local function learned(options)
    local nvim = start(options)
    nvim:lua([[
      local project = vim.fn.getcwd()
      require("support.journal").write({
        { uuid = "1", agent = "droid", project = project, ended_ms = 1 },
        { uuid = "2", agent = "mine", project = project, ended_ms = 2 },
        { uuid = "3", agent = "droid", project = "/other", ended_ms = 3 },
      })
    ]])
    nvim:type(":2Botglue<CR>")
    return choice(nvim)
  end
  equal(learned(), "mine")
  equal(learned("agent = 'claude'"), "claude")
end)

test("each project has its own", function()
  local nvim = start()
  choose(nvim, "<Tab>")
  nvim:lua([[
    local other = vim.fn.tempname()
    vim.fn.mkdir(other .. "/.git", "p")
    vim.cmd("silent edit " .. other .. "/a.txt")
  ]])
  equal(first(nvim, ":1Botglue<CR>"), "claude")
  choose(nvim, "<S-Tab>")
  nvim:type(":buffer 1<CR>")
  equal(first(nvim), "droid")
end)
