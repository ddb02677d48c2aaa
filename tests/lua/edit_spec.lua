-- The answer of a held job in a buffer of its own.

local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local with_held, decide = jobs.held, jobs.decide

--- The child with the answer of job 1 in its buffer.
local function edited(nvim, keys)
  nvim:type(":Botglue edit 1<CR>")
  nvim:type(keys or "")
  return nvim
end

test("what is written there is the answer, and nothing is decided before it is", function()
  local nvim = edited(with_held({ "B", "C" }), "GoD<Esc>")
  for call, sentence in pairs({
    ["accept(1)"] = "job 1 cannot be decided: write or drop your edits in :Botglue edit 1",
    ["reject(1)"] = "job 1 cannot be decided: write or drop your edits in :Botglue edit 1",
    ["accept(1, { hunk = 1, tick = select(2, require('botglue').hunks(1)) })"] = "job 1 cannot be decided",
  }) do
    -- At once, so that nothing but the call tells the host of it.
    nvim:type("oE<Esc>")
    local ok, raised =
      unpack(nvim:lua("return { pcall(require('botglue')." .. call:gsub("%(", ", ", 1) .. " }"))
    equal(ok, false, call)
    suite.contains(raised, sentence)
  end
  equal(nvim:job(1).landing, "held")
  nvim:type(":w<CR>")
  decide(nvim, "accept")
  equal(
    nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"),
    { "a", "B", "C", "D", "E", "E", "E", "e" }
  )
end)

test(":e! shows the answer as it was saved, and what was typed since is gone", function()
  local nvim = edited(with_held({ "B", "C" }), "GoD<Esc>:w<CR>oE<Esc>")
  nvim:type(":e!<CR>")
  equal({ nvim:lines(), nvim:lua("return vim.bo.modified") }, { { "B", "C", "D" }, false })
  nvim:type(":bwipeout!<CR>")
  -- Undo does not go back before it.
  edited(nvim, "u")
  equal({ nvim:lines(), nvim:lua("return vim.bo.modified") }, { { "B", "C", "D" }, false })
end)

test("the answer of a job that is decided is not written any more", function()
  local nvim = edited(with_held({ "B", "C" }))
  decide(nvim, "reject")
  nvim:lua("vim.cmd('normal! x') pcall(vim.cmd, 'write')")
  suite.contains(nvim:messages(), "this answer is not held any more")
  equal(nvim:lua("return vim.bo.modified"), true)
end)

test("where this answer is not loaded, nothing is written", function()
  local nvim = edited(with_held({ "B", "C" }), "x")
  nvim:lua("vim.bo.modifiable = false; pcall(vim.cmd, 'write')")
  suite.contains(nvim:messages(), "this answer is not loaded")
  equal(nvim:lua("return vim.bo.modified"), true)
end)

test("without a host what is typed there is not saved", function()
  local nvim = edited(with_held({ "B", "C" }), "GoD<Esc>")
  nvim:lua("require('botglue').setup({ host = '/nowhere' }); vim.g.botglue = nil")
  nvim:host("die")
  nvim:type(":w<CR>")
  suite.contains(nvim:messages(), "host missing")
  equal(nvim:lua("return vim.bo.modified"), true)
end)

test("the name of its buffer reads the answer, also in another session", function()
  local nvim = child.start()
  nvim:lua("require('support.host').install()")
  nvim:lua(
    "require('support.journal').write({ ... })",
    { uuid = "old-1", held_for = "review", lines = { "B" } }
  )
  -- Without the option Neovim says the name, and a long one asks for Enter.
  nvim:type(":let SessionLoad = 1<CR>:set shortmess-=F<CR>:enew<CR>:file botglue://answer/old-1<CR>")
  equal(nvim:screen():find("[Not edited]", 1, true), nil)
  nvim:eventually("it is there, as a session names it", "return vim.fn.getline(1) == 'B'")
  nvim:type(":bwipeout!<CR>:edit botglue://answer/old-1<CR>")
  nvim:eventually("it is there", "return vim.fn.getline(1) == 'B'")
  suite.contains(nvim:lua("return vim.wo.winbar"), ":w changes the answer")
  nvim:type("oC<Esc>:w<CR>oD<Esc>:e!<CR>")
  equal({ nvim:lines(), nvim:lua("return vim.bo.modified") }, { { "B", "C" }, false })
  nvim:type(":edit botglue://answer/none<CR>")
  nvim:eventually("it is said", "return vim.fn.execute('messages'):find('not held any more') ~= nil")
  equal({ nvim:lines(), nvim:lua("return vim.bo.modifiable") }, { { "" }, false })
end)
