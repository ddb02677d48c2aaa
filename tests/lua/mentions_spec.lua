-- `@buffer:name`, `@diagnostics` and the like in a prompt: what goes along with the message.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

--- A project with a file, and others loaded: one with a change that is not saved, one with no file.
local function start()
  local nvim = child.with_host({ "one", "two" })
  nvim:lua([[
    local root = vim.fn.tempname()
    vim.fn.mkdir(root .. "/.git", "p")
    vim.fn.mkdir(root .. "/src")
    vim.fn.mkdir(root .. "/lib")
    for _, name in ipairs({ "a.txt", "src/b.txt", "lib/c.txt", "src/c.txt" }) do
      vim.fn.writefile({ name .. " saved" }, root .. "/" .. name)
    end
    vim.cmd.cd(root)
    for _, name in ipairs({ "src/c.txt", "lib/c.txt", "src/b.txt" }) do
      vim.cmd("edit! " .. name)
    end
    vim.fn.setline(2, "b unsaved")
    vim.o.hidden = true
    vim.cmd.edit("a.txt")
  ]])
  return nvim
end

test("a buffer goes along as it is, unsaved text too", function()
  local nvim = start()
  nvim:type(":1Botglue run as in @buffer:src/b.txt, or @buffer:b.txt.<CR>")
  contains(nvim:message(1), ' name="src/b.txt" lines="1-2">\nsrc/b.txt saved\nb unsaved\n</buffer-')
  local number = nvim:lua("return vim.fn.bufnr('lib/c.txt')")
  nvim:type((":1Botglue run as in @buffer:%d<CR>"):format(number))
  contains(nvim:message(2), "lib/c.txt saved")
  nvim:type(":1Botglue run me@buffer:nowhere and @src/b.txt<CR>")
  equal(nvim:message(3):find("<buffer", 1, true), nil)
end)

test("all diagnostics of the buffer go along, each once", function()
  local nvim = start()
  nvim:lua([[
    require("botglue").setup({ prompts = { all = "mend @diagnostics" } })
    vim.diagnostic.set(vim.api.nvim_create_namespace("spec"), 0, {
      { lnum = 0, col = 0, message = "here", severity = 1 },
      { lnum = 1, col = 0, message = "there", severity = 2 },
    })
  ]])
  local function messages(count)
    local message = nvim:message(count)
    return vim.tbl_filter(function(one)
      return message:find(one, 1, true) ~= nil
    end, { "here", "there" })
  end
  nvim:type(":1Botglue run mend it<CR>")
  equal(messages(1), { "here" })
  nvim:type(":1Botglue run mend @diagnostics.<CR>")
  equal(messages(2), { "here", "there" })
  nvim:type(":1Botglue run see @diagnostics.txt and @diagnostics/x<CR>")
  equal(messages(3), { "here" })
  nvim:type(":1Botglue run /all<CR>")
  equal(messages(4), { "here", "there" })
end)

test("the quickfix list goes along as it is", function()
  local nvim = start()
  nvim:lua([[vim.fn.setqflist({
    { filename = "src/b.txt", lnum = 2, text = "no such\nname" }, { bufnr = 0, lnum = 0, text = "Error: two" },
  })]])
  nvim:type(":1Botglue run mend @quickfix.<CR>")
  contains(nvim:message(1), "\nsrc/b.txt:2: no such name\nError: two\n</quickfix-")
  nvim:type(":1Botglue run mend @quickfix.txt<CR>")
  equal(nvim:message(2):find("<quickfix", 1, true), nil)
end)

test("what has changed since the last commit goes along, and nothing of the repository's runs", function()
  local nvim = start()
  nvim:lua([[
    local function git(...)
      local result = vim.system({ "git", "-c", "user.name=x", "-c", "user.email=x@y", ... }):wait()
      assert(result.code == 0, result.stderr)
    end
    vim.fn.delete(".git", "d")
    git("init", "-q")
    vim.fn.writefile({ "one\r", "two\r", "three\r" }, "a.txt")
    git("add", "a.txt")
    git("commit", "-qm", "x")
    vim.fn.writefile({ "*.txt diff=mine filter=mine" }, ".gitattributes")
    for _, key in ipairs({ "diff.mine.command", "diff.mine.textconv", "filter.mine.smudge", "diff.external" }) do
      git("config", key, "touch " .. vim.fn.getcwd() .. "/ran; cat")
    end
    vim.cmd("edit! a.txt")
    vim.fn.setline(2, "2")
  ]])
  nvim:type(":1Botglue run why @diff?<CR>")
  contains(nvim:message(1), "\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n</diff-")
  nvim:type(":edit src/b.txt<CR>:1Botglue run why @diff<CR>")
  contains(nvim:message(2), "not known: git has no committed text of this file\n</diff-")
  nvim:lua([[
    local blob = vim.trim(vim.fn.system({ "git", "rev-parse", "HEAD:a.txt" }))
    assert(vim.uv.fs_unlink((".git/objects/%s/%s"):format(blob:sub(1, 2), blob:sub(3))))
    for key, value in pairs({
      ["core.repositoryformatversion"] = "1",
      ["extensions.partialClone"] = "origin",
      ["remote.origin.promisor"] = "true",
      ["remote.origin.url"] = ".",
      ["remote.origin.uploadpack"] = "touch " .. vim.fn.getcwd() .. "/ran; false",
    }) do
      vim.fn.system({ "git", "config", key, value })
    end
  ]])
  nvim:type(":edit a.txt<CR>:1Botglue run why @diff<CR>")
  contains(nvim:message(3), "not known: git has no committed text of this file\n</diff-")
  equal(nvim:lua("return vim.uv.fs_stat('ran') == nil"), true)
end)

test("the prompt completes them", function()
  local nvim = start()
  nvim:type(":1Botglue<CR>as @buffer:lib")
  nvim:eventually("one is left", "return #vim.fn.complete_info({ 'items' }).items == 1")
  nvim:type("<C-y> <C-s>")
  contains(nvim:message(1), "\nlib/c.txt saved\n</buffer-")
end)
