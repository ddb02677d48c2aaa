-- The agent and the model that were chosen last in the prompt are the first choice of the next one in the project.

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

local AGENTS = [[{
  droid = { command = { "true" } },
  mine = { protocol = "text", command = { "cat" }, models = { "a", "b" } },
}]]

--- A child in a project, which has the data of others.
---@param data string? a directory
---@param options string? fields of the options, as Lua
local function start(data, options)
  local nvim = child.with_host({ "one", "two" })
  nvim:lua(
    ([[
      local data = ...
      local options = vim.g.botglue
      options.data_dir = data or vim.fn.stdpath("data") .. "/botglue"
      vim.g.botglue = vim.tbl_deep_extend("force", options, { agents = %s %s })
    ]]):format(AGENTS, options and ", " .. options or ""),
    data
  )
  return nvim
end

--- Which agent and model an open prompt has.
local function choice(nvim)
  return nvim:lua("return require('botglue.host.connection').prompt.choice:words()")
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

local function data_of(nvim)
  return nvim:lua("return require('botglue.host.client').options().data_dir")
end

test(
  "they come first in the next prompt, whether this one was sent or not, and in the next Neovim",
  function()
    local nvim = start()
    equal(first(nvim), "claude")
    choose(nvim, "<S-Tab>")
    equal(first(nvim), "claude opus")
    nvim:type(":1Botglue<CR><Tab><Tab><S-Tab>words<C-s>")
    equal(nvim:host("received", "run")[1].agent.name, "mine")
    equal(first(nvim), "mine a")
    equal(first(start(data_of(nvim))), "mine a")
    equal(nvim:host("received", "prewarm")[1].agent.name, "claude")
  end
)

test("they are kept as soon as they are chosen, however Neovim ends", function()
  local nvim = start()
  nvim:type(":1Botglue<CR><S-Tab>")
  equal(first(start(data_of(nvim))), "claude opus")
end)

test("a session's prompt chooses nothing for the next one", function()
  local nvim = start()
  nvim:lua([[
    local range = require("botglue.editor.range").from_selection(require("botglue.editor.selection").lines(1, 1, 1))
    local request = { agent = "claude", resume = { session_id = "s" } }
    require("botglue.jobs.run").ask(range, request, (require("botglue.host.client").options()))
  ]])
  nvim:type("<S-Tab><Esc><Esc>")
  equal(first(nvim), "claude")
end)

test("a prompt in which nothing was chosen changes nothing", function()
  local nvim = start()
  nvim:type(":1Botglue<CR>words<C-s>")
  equal(nvim:lua("return vim.uv.fs_stat(... .. '/chosen.json') == nil", data_of(nvim)), true)
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

test("an option that the user has set comes first", function()
  local nvim = start()
  choose(nvim, "<Tab><Tab><S-Tab>")
  local data = data_of(nvim)
  equal(first(start(data)), "mine a")
  equal(first(start(data, "agent = 'claude'")), "claude")
  equal(first(start(data, "agent = 'mine'")), "mine a")
  equal(
    first(start(data, "agents = { mine = { protocol = 'text', command = { 'cat' }, model = 'c' } }")),
    "mine c"
  )
  local set_up = start(data)
  set_up:lua("require('botglue').setup({ agent = 'droid' })")
  equal(first(set_up), "droid")
  choose(nvim, "<Tab><S-Tab>")
  equal(first(start(data)), "claude opus")
  equal(first(start(data, "model = 'haiku'")), "claude haiku")
end)

test("what a command or a call names comes first, and what it leaves open is as the options say", function()
  local nvim = start()
  choose(nvim, "<Tab><Tab><S-Tab>")
  equal(first(nvim, ":2Botglue ++agent=droid<CR>"), "droid")
  equal(first(nvim, ":2Botglue ++model=haiku<CR>"), "claude haiku")
  equal(first(nvim, ":lua require('botglue').run({ agent = 'mine' })<CR>"), "mine")
  equal(first(nvim), "mine a", "no choice was made")
end)

test("an agent or a model that is not there any more is none, nor is a file that makes no sense", function()
  local nvim = start()
  choose(nvim, "<Tab><Tab><S-Tab>")
  local data = data_of(nvim)
  equal(first(start(data, "agents = { mine = { protocol = 'text', command = { '/nowhere' } } }")), "claude")
  equal(
    first(start(data, "agents = { mine = { protocol = 'text', command = { 'cat' }, models = { 'z' } } }")),
    "mine"
  )
  for _, text in ipairs({ "", "{", "[]", "3", '{"a":1}' }) do
    nvim:lua("vim.fn.writefile({ ... }, select(2, ...))", text, data .. "/chosen.json")
    equal(first(nvim), "claude", text)
  end
  choose(nvim, "<Tab>")
  equal(first(nvim), "droid", "it is written again")
end)

test("a model that an agent itself had offered is good before it offers any again", function()
  local options = "agents = { gemini = { command = 'true' } }"
  local nvim = start(nil, options)
  nvim:type(":1Botglue<CR><Tab>")
  equal(choice(nvim), "gemini")
  nvim:lua("require('botglue.apply').models({ agent = 'gemini', models = { 'a', 'b' } })")
  nvim:type("<S-Tab><S-Tab><Esc><Esc>")
  local other = start(data_of(nvim), options)
  equal(first(other), "gemini b")
  other:lua("require('botglue.apply').models({ agent = 'gemini', models = { 'c' } })")
  equal(first(other), "gemini", "it has said that there is none of that name")
end)
