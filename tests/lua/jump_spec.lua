local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A child with answers in lines 2, 4 and 6, the one in line 4 held.
local function with_answers()
  local nvim = child.with_host({ "a", "b", "c", "d", "e", "f", "g" })
  for id, row in ipairs({ 2, 4, 6 }) do
    nvim:run(line(row, row), { review = row == 4 })
    nvim:answer(id, { "answer " .. id })
  end
  nvim:lua([[
    vim.keymap.set("n", "]g", "<Plug>(botglue-next)", { remap = true })
    vim.keymap.set("n", "[g", "<Plug>(botglue-prev)", { remap = true })
  ]])
  nvim:type("gg")
  return nvim
end

--- The line of the cursor after each of some keys.
local function lines_after(nvim, ...)
  local lines = {}
  for _, keys in ipairs({ ... }) do
    nvim:type(keys)
    lines[#lines + 1] = nvim:lua("return vim.fn.line('.')")
  end
  return lines
end

test("also in another buffer, in a closed fold, and not to one that was taken back", function()
  local nvim = with_answers()
  nvim:lua(
    "vim.bo.bufhidden = 'hide'; vim.o.hidden = true; vim.wo.foldmethod = 'manual'; vim.cmd('5,7fold | enew')"
  )
  equal(lines_after(nvim, "]g", "]g", "]g"), { 2, 4, 6 })
  equal(nvim:lua("return vim.fn.foldclosed(6)"), -1)
  nvim:type(":Botglue revert 3<CR>")
  nvim:eventually("it is taken back", "return require('botglue').job(3).landing == 'reverted'")
  equal(lines_after(nvim, "]g", "]g"), { 2, 4 })
end)

test("what landed out of sight is said with the key that goes there, newest first", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:lua("vim.o.hidden = true; vim.cmd('silent file a.txt')")
  nvim:run(line(1))
  nvim:run(line(3))
  nvim:type(":enew<CR>")
  nvim:answer(1, { "A" })
  nvim:answer(2, { "C" })
  nvim:eventually("the last one is said", "return vim.fn.execute('messages'):find('a.txt:3', 1, true)")
  suite.contains(nvim:messages(), [[botglue: job 1 landed, \pg goes there: a.txt:1 it]])
  equal(lines_after(nvim, "\\pg"), { 3 })
  nvim:type(":enew<CR>")
  equal(lines_after(nvim, "\\pg"), { 1 })
  nvim:type(":enew<CR>\\pg")
  suite.contains(nvim:messages(), "there is no unseen outcome")
  nvim:type(":buffer 1<CR>")
  nvim:run(line(2))
  nvim:answer(3, { "B" })
  suite.equal(nvim:messages():find("job 3", 1, true), nil)
end)
