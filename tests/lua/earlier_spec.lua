--- Held answers of earlier sessions are told of without a host, from their journals.

local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- A child that starts with held answers of a Neovim that is gone, in a project of its own.
---@param paths string[] their files; `PROJECT`: the project's directory
local function start(paths, after)
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
    local jobs = {}
    for i, path in ipairs(%s) do
      jobs[i] = { uuid = "gone-" .. i, landing = "held", path = path:gsub("PROJECT", vim.fn.getcwd()) }
    end
    local data_dir = vim.fn.stdpath("data") .. "/botglue"
    require("support.journal").write(jobs, data_dir)
    %s
  ]]):format(require("support.host").PROGRAM, vim.inspect(paths), after or ""))
end

local function announced(nvim)
  nvim:eventually("the host's program has said what it found", "return said")
  nvim:settle()
  return nvim:messages()
end

test("answers of this project are announced once and counted, and no host is started", function()
  local nvim = start({ "PROJECT/a.txt", "PROJECT/b/c.txt", "/somewhere/else.txt" })
  contains(announced(nvim), "2 answers held in an earlier session: :Botglue review")
  equal(nvim:lua("return require('botglue').statusline()"), "2 held")
  nvim:lua("vim.cmd.new() vim.fn.writefile({}, 'other.txt') vim.cmd.edit('other.txt') vim.cmd.tabnew()")
  equal(select(2, nvim:messages():gsub("in an earlier session", "")), 1)
  equal(nvim:lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())"), {}, "no host, nor its program")
  nvim:type(":Botglue jobs<CR>")
  nvim:shows("no jobs in this session; :Botglue review shows 2 held in earlier sessions")
end)

test("they are announced from a data_dir below ~", function()
  local move = [[
    vim.g.botglue = { host = vim.g.botglue.host, data_dir = "~/held" }
    vim.fn.rename(data_dir, vim.env.HOME .. "/held")
  ]]
  contains(announced(start({ "PROJECT/a.txt" }, move)), "an answer held in an earlier session")
end)

test("with `notify` none they are counted, and nothing is said", function()
  local nvim = start({ "PROJECT/a.txt" }, "vim.g.botglue = { host = vim.g.botglue.host, notify = 'none' }")
  equal(announced(nvim), "")
  equal(nvim:lua("return require('botglue').statusline()"), "1 held")
end)
