-- What the prompt offers while it is typed: earlier prompts, and files. (The agent that is started for it:
-- `tests/it/prewarm`.)

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

--- A child in which earlier prompts are these.
---@param prompts string[]?
local function start(prompts)
  local nvim = child.with_host({ "one", "two", "three" })
  local jobs = vim.iter(prompts or {}):rev():map(function(prompt)
    return { prompt = prompt }
  end)
  nvim:lua("require('support.journal').write(...)", jobs:totable())
  return nvim
end

--- The words of the popup menu, once there are `count` of them.
local function menu(nvim, count)
  nvim:eventually(
    "the menu has " .. count,
    "return vim.fn.pumvisible() == (... > 0 and 1 or 0) and #vim.fn.complete_info({ 'items' }).items == ...",
    count
  )
  return nvim:lua([[return vim.tbl_map(function(item)
    return item.word
  end, vim.fn.complete_info({ "items" }).items)]])
end

local function received(nvim, method)
  return nvim:host("received", method)
end

test("<C-p> goes back through earlier prompts, <C-n> to what was typed", function()
  local nvim = start({ "newest", "older\nof two lines", "oldest" })
  nvim:type(":1Botglue<CR>typed")
  nvim:type("<C-u><C-p><C-p>")
  equal(nvim:lines(), { "older", "of two lines" })
  nvim:type("<C-n><C-n>")
  equal(nvim:lines(), { "" })
  nvim:type("<C-p><C-p>!<C-s>")
  equal(received(nvim, "run")[1].prompt, "older\nof two lines!")
end)

test("undo in the prompt has what was typed before an earlier one took its place", function()
  local nvim = start({ "make it shorter,\nmake it faster" })
  nvim:type(":1Botglue<CR>faster<CR>make")
  nvim:type("<C-p>")
  nvim:type(", make it now<Esc>")
  local recalled = { "make it shorter,", "make it faster" }
  equal(nvim:lines(), { recalled[1], "make it faster, make it now" })
  for _, expected in ipairs({ recalled, { "faster", "make" }, { "" } }) do
    nvim:type("u")
    equal(nvim:lines(), expected)
  end
end)

test("<C-f> lists them, what is typed filters the list, <CR> takes one, <C-f> leaves it", function()
  local nvim = start({ "make it shorter", "add a test\nand run it", "add docs" })
  nvim:type(":1Botglue<CR><C-f>")
  equal(menu(nvim, 3), { "make it shorter", "add a test", "add docs" })
  nvim:type("add t")
  equal(menu(nvim, 1), { "add a test" })
  nvim:type("<CR>")
  equal(nvim:lines(), { "add a test", "and run it" })
  menu(nvim, 0)
  nvim:type("<C-u><BS><C-u><C-f>")
  menu(nvim, 3)
  nvim:type("<C-n><CR>")
  equal(nvim:lines(), { "add a test", "and run it" })
  nvim:type("<C-u><BS><C-u><C-f>add")
  menu(nvim, 2)
  nvim:type("<C-f> d")
  menu(nvim, 0)
  equal(nvim:lines(), { "add d" })
end)

--- A project with these files, and its Neovim in the prompt.
---@param files string[]
local function project(files)
  local nvim = start()
  nvim:lua(
    [[
      local files = ...
      local root = vim.uv.fs_realpath(vim.fn.fnamemodify(vim.fn.tempname(), ":h")) .. "/project"
      for _, file in ipairs(files) do
        vim.fn.mkdir(vim.fs.dirname(root .. "/" .. file), "p")
        vim.fn.writefile({ "x" }, root .. "/" .. file)
      end
      vim.fn.system({ "git", "init", "-q", root })
      vim.fn.writefile({ "ignored.txt" }, root .. "/.gitignore")
      vim.cmd.cd(root)
      vim.cmd.edit(files[1])
    ]],
    files
  )
  nvim:type(":1Botglue<CR>")
  return nvim
end

test("@ completes files of a repository, what is open first, and not what git ignores", function()
  local nvim =
    project({ "src/lib.rs", "src/deep/er/library.rs", "a b.txt", "tests/lib_test.rs", "ignored.txt" })
  nvim:type("see @lib")
  equal(menu(nvim, 3), { "@src/lib.rs", "@tests/lib_test.rs", "@src/deep/er/library.rs" })
  nvim:type("<Tab> and @b.t")
  equal(menu(nvim, 1), { '@"a b.txt"' })
  nvim:type("<C-y> and @sdlib")
  equal(menu(nvim, 1), { "@src/deep/er/library.rs" })
  nvim:type("<CR>.")
  equal(nvim:lines(), { 'see @src/lib.rs and @"a b.txt" and @src/deep/er/library.rs.' })
  menu(nvim, 0)
  nvim:type("<C-u>@")
  equal(menu(nvim, 9)[1], "@src/lib.rs")
  nvim:type("<C-e><C-u>me@lib")
  menu(nvim, 0)
  nvim:type("<C-u>@lib")
  menu(nvim, 3)
  nvim:type("<C-n><C-n>")
  equal({ #menu(nvim, 3), nvim:lines() }, { 3, { "@src/deep/er/library.rs" } })
  nvim:type("<C-p>.")
  equal(nvim:lines(), { "@tests/lib_test.rs." })
end)

test("@ completes a name that is no UTF-8 as its bytes", function()
  local nvim = project({ "src/lib.rs", "od\255d.txt" })
  nvim:type("see @od")
  menu(nvim, 1)
  nvim:type("<C-y>")
  equal(nvim:lines(), { "see @od\255d.txt" })
end)

-- Each leads git, or the plugin that starts it, to a program of the repository.
local TRAPS = {
  ["its monitor"] = [[
    vim.fn.system({ "git", "config", "core.fsmonitor", "touch " .. root .. "/ran; false" })
  ]],
  ["what fetches objects that it lacks"] = [[
    os.remove(root .. "/.gitignore")
    local function git(...)
      local result = vim.system({ "git", ... }, { text = true, stdin = "ignored.txt\n" }):wait()
      assert(result.code == 0, result.stderr)
      return vim.trim(result.stdout)
    end
    local blob = git("hash-object", "--stdin")
    git("update-index", "--add", "--cacheinfo", "100644," .. blob .. ",.gitignore")
    git("update-index", "--skip-worktree", ".gitignore")
    for key, value in pairs({
      ["core.repositoryformatversion"] = "1",
      ["extensions.partialClone"] = "origin",
      ["remote.origin.promisor"] = "true",
      ["remote.origin.url"] = ".",
      ["remote.origin.uploadpack"] = "touch " .. root .. "/ran; false",
    }) do
      git("config", key, value)
    end
  ]],
  ["a git that PATH leads to"] = [[
    vim.fn.mkdir("bin")
    vim.fn.writefile({ "#!/bin/sh", "touch " .. root .. "/ran" }, "bin/git")
    vim.fn.setfperm("bin/git", "rwx------")
    vim.env.PATH = "./bin::" .. vim.env.PATH
  ]],
}

test("@ runs nothing of the repository's", function()
  for name, trap in pairs(TRAPS) do
    local nvim = project({ "src/lib.rs" })
    nvim:lua("local root = vim.fn.getcwd()\n" .. trap)
    nvim:type("@lib")
    equal(menu(nvim, 1), { "@src/lib.rs" }, name)
    equal(nvim:lua("return vim.uv.fs_stat('ran') == nil"), true, name)
  end
end)
