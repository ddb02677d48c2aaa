--- Held answers of earlier sessions are told of without a host, from files that name them.

local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- A child that starts with these lines in the marker, in a project of its own.
---@param lines string[] `%s`: the project's directory
local function start(lines, after)
  return child.start(([[
    vim.g.botglue = { host = %q }
    local system = vim.system
    function vim.system(command, options, done)
      return system(command, options, function(...)
        done(...)
        vim.schedule(function() _G.said = true end)
      end)
    end
    local project = vim.fn.tempname()
    vim.fn.mkdir(project .. "/.git", "p")
    vim.cmd.cd(project)
    local lines = vim.tbl_map(function(line)
      return (line:gsub("PROJECT", vim.fn.getcwd()))
    end, %s)
    local dir = vim.fn.stdpath("data") .. "/botglue/journal"
    vim.fn.mkdir(dir, "p")
    vim.fn.writefile(lines, dir .. "/gone.held")
    %s
  ]]):format(require("support.host").PROGRAM, vim.inspect(lines), after or ""))
end

local GONE = "999999999:1"

local function answer(owner, path)
  return vim.json.encode({ owner = owner, path = path })
end

local function announced(nvim)
  nvim:eventually("the host's program has said what it found", "return said")
  nvim:settle()
  return nvim:messages()
end

test("answers of this project are announced once and counted, and no host is started", function()
  local nvim = start({
    answer(GONE, "PROJECT/a.txt"),
    answer(GONE, "PROJECT/b/c.txt"),
    answer(GONE, "/somewhere/else.txt"),
    "not JSON",
    '{"owner":3}',
  })
  contains(announced(nvim), ":Botglue review shows 2 answers held in an earlier session")
  equal(nvim:lua("return require('botglue').statusline()"), "2 held")
  equal(nvim:lua("return require('botglue.host.connection').process == nil"), true)
end)

test("they are announced from a data_dir below ~", function()
  local move = [[
    vim.g.botglue = { host = vim.g.botglue.host, data_dir = "~/held" }
    vim.fn.rename(vim.fs.dirname(dir), vim.env.HOME .. "/held")
  ]]
  contains(announced(start({ answer(GONE, "PROJECT/a.txt") }, move)), "an answer held in an earlier session")
end)

test("they are announced once, and the host's program is not left", function()
  local nvim = start({ answer(GONE, "PROJECT/a.txt") })
  contains(announced(nvim), "botglue: :Botglue review shows an answer held in an earlier session")
  nvim:lua("vim.cmd.new() vim.fn.writefile({}, 'other.txt') vim.cmd.edit('other.txt') vim.cmd.tabnew()")
  nvim:settle()
  equal(select(2, nvim:messages():gsub("in an earlier session", "")), 1)
  equal(nvim:lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())"), {})
  equal(nvim:lua("return require('botglue').statusline()"), "1 held")
end)

test("with `notify` none they are counted, and nothing is said", function()
  local nvim =
    start({ answer(GONE, "PROJECT/a.txt") }, "vim.g.botglue = { host = vim.g.botglue.host, notify = 'none' }")
  equal(announced(nvim), "")
  equal(nvim:lua("return require('botglue').statusline()"), "1 held")
end)

test("those of another project, or of a Neovim that runs, are not", function()
  local living = child.with_host({ "a" })
  living:run({ kind = "line", first = { 1 }, last = { 1 } }, { review = true })
  living:answer(1, { "A" })
  local line = living:eventually(
    "its held answer is in the file",
    "local file = io.open(vim.fn.glob(vim.fn.stdpath('data') .. '/botglue/journal/*.held')) return file and file:read()"
  )
  local nvim = start({
    answer(GONE, "/somewhere/else.txt"),
    answer(vim.json.decode(line).owner, "PROJECT/a.txt"),
  })
  equal(announced(nvim), "")
  equal(nvim:lua("return require('botglue').statusline()"), "")
end)

test("where nothing is held nothing is loaded", function()
  local nvim = child.start()
  nvim:settle()
  equal(
    nvim:lua(
      "return vim.tbl_filter(function(name) return vim.startswith(name, 'botglue') end, vim.tbl_keys(package.loaded))"
    ),
    {}
  )
end)

test("the host is started when one of the files is read", function()
  local nvim = start({ answer(GONE, "PROJECT/a.txt") })
  announced(nvim)
  nvim:lua([[
    require("botglue.host.query").ask = function() _G.asked = (_G.asked or 0) + 1 end
    vim.fn.writefile({ "x" }, "a.txt")
    vim.fn.writefile({ "x" }, "b.txt")
    vim.cmd.edit("b.txt")
  ]])
  equal(nvim:lua("return asked or 0"), 0)
  nvim:lua("vim.cmd.edit('a.txt') vim.cmd.edit('b.txt') vim.cmd.edit({ 'a.txt', bang = true })")
  equal(nvim:lua("return asked"), 1)
end)
