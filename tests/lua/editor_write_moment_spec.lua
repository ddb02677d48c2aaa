-- `editor.write` in the middle of something: nothing is written, and the host is notified once it is safe.

local steps = require("support.steps")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local LINES = { "one", "two", "three", "foo bar", "foo baz", "fool", "" }
local STEP = { { { 0, 1, { "ONE", "+", "+" } } } }

---@param setup string? Lua that runs in the child first
local function start(setup)
  local nvim = steps.start(LINES)
  nvim:lua(setup or "")
  return nvim
end

--- Waits for the notice of a buffer's moment, then writes.
local function write_when_safe(nvim, what)
  nvim:eventually(
    "the host is notified after " .. what,
    "return #require('support.host').received('moment') > 0"
  )
  equal(nvim:host("received", "moment")[1], { buffer = steps.BUFFER }, what)
  equal(steps.states(steps.write(nvim, STEP)), "written", what)
end

test("an expression mapping forbids writing anywhere: not now, no error, and nothing is changed", function()
  for _, keys in ipairs({ "4GiX", ":enew<CR>iX" }) do
    local nvim = start([[
      vim.o.hidden = true
      vim.keymap.set("i", "X", function()
        _G.reply = require("botglue.apply").write(call)
        return "x"
      end, { expr = true })
    ]])
    nvim:lua("_G.call = ...", steps.call(nvim, STEP))
    nvim:type(keys)
    equal(nvim:lua("return reply"), { state = "not_now" }, keys)
    equal(steps.rows(nvim)[1], "one", keys)
    write_when_safe(nvim, keys)
    nvim:type("y<Esc>u")
    equal(steps.rows(nvim)[1], "ONE", keys)
  end
end)

test("the command-line window and a terminal hold nothing up", function()
  local nvim = start()
  nvim:type("q:idel")
  equal(steps.states(steps.write(nvim, STEP)), "written")
  local parted_and_joined =
    { { { 6, 7, { "foo", "baz" } } }, { { 6, 8, { "foo baz" } } }, { { 0, 0, { "0" } } } }
  equal(steps.states(steps.write(nvim, parted_and_joined)), "written written written")
  nvim:type("ete<Esc>")
  equal(nvim:lines(), { "delete" })
  equal(vim.list_slice(steps.rows(nvim), 1, 4), { "0", "ONE", "+", "+" })
  nvim = start("vim.o.hidden = true")
  nvim:type(":terminal cat<CR>i")
  equal(nvim:api("get_mode").mode, "t")
  equal(steps.states(steps.write(nvim, STEP)), "written")
  equal(vim.list_slice(steps.rows(nvim), 1, 2), { "ONE", "+" })
end)

test("a terminal takes no changes", function()
  local nvim = start("vim.o.hidden = true")
  nvim:type(":terminal cat<CR>")
  local terminal = nvim:lua("return vim.api.nvim_get_current_buf()")
  equal(steps.states(steps.write(nvim, { { { 0, 0, { "x" } } } }, { buffer = terminal })), "not_modifiable")
end)

test("one notice comes of many calls, and nothing is left behind", function()
  local nvim = start()
  local autocmds =
    "return #vim.api.nvim_get_autocmds({ event = { 'SafeState', 'ModeChanged', 'CompleteDone' } })"
  local before = nvim:lua(autocmds)
  nvim:type("v")
  for _ = 1, 3 do
    equal(steps.write(nvim, STEP), { state = "not_now" })
  end
  nvim:type("j")
  equal(nvim:host("received", "moment"), {})
  nvim:type("<Esc>")
  write_when_safe(nvim, "three calls")
  nvim:type("jvk<Esc>")
  equal(#nvim:host("received", "moment"), 1)
  equal(nvim:lua(autocmds), before)
end)

test("a buffer that goes meanwhile is a moment, too", function()
  local nvim = start("vim.o.hidden = true")
  nvim:type("v")
  equal(steps.write(nvim, STEP), { state = "not_now" })
  local call = steps.call(nvim, STEP)
  nvim:lua("vim.cmd('enew | bwipeout! 1')")
  nvim:type("<Esc>")
  nvim:eventually("the host is notified", "return #require('support.host').received('moment') > 0")
  equal(steps.send(nvim, call), { state = "gone" })
end)

test("what changed meanwhile is stale", function()
  local nvim = start()
  nvim:type("ggv")
  local call = steps.call(nvim, STEP)
  equal(steps.send(nvim, call), { state = "not_now" })
  nvim:type("d")
  equal(steps.send(nvim, call).state, "stale")
end)
