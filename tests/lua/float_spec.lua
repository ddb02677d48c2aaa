local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- A child with a window of three keys, open.
local function open(more)
  local nvim = child.with_host({ "one", "two" })
  nvim:lua(
    [[
      _G.pressed, _G.closed = {}, 0
      local spec = {
        name = "things",
        options = require("botglue.host.client").options(),
        width = 60,
        height = 3,
        title = { left = "things", right = "3 of them" },
        keys = {
          { "<CR>", "jump", function() table.insert(pressed, "jump") end },
          { "r", "review", function() error("botglue: no such thing", 0) end },
          { "t", "transcript", function() end },
        },
        on_close = function() closed = closed + 1 end,
      }
      _G.float = require("botglue.ui.float").open(vim.tbl_extend("force", spec, ...))
      float:draw({ { { "first ", "Comment" }, { "row" } }, { { "second" } } })
    ]],
    more or vim.empty_dict()
  )
  return nvim
end

local function rows(nvim)
  local found = {}
  for row in vim.gsplit(nvim:screen(), "\n") do
    found[#found + 1] = row
  end
  return found
end

--- The rows of the window alone, from its border on.
local function drawn(nvim)
  local found = {}
  for _, row in ipairs(rows(nvim)) do
    local from = row:find("[╭│╰]") and row:match("[^%w%s~].*$")
    if row:find("╭", 1, true) or row:find("│", 1, true) or row:find("╰", 1, true) then
      found[#found + 1] = vim.trim((from:gsub("^~%s*", "")))
    end
  end
  return found
end

test("a window has a title, its keys, and what it shows", function()
  local nvim = open()
  local shown = drawn(nvim)
  equal(#shown, 5)
  equal(shown[1], "╭ things " .. ("─"):rep(41) .. " 3 of them ╮")
  equal(shown[2], "│first row" .. (" "):rep(51) .. "│")
  equal(shown[5], "╰ <CR> jump · r review · t transcript · q close " .. ("─"):rep(13) .. "╯")
end)

test("the keys work, and an error in one is a line", function()
  local nvim = open()
  nvim:type("<CR>")
  equal(nvim:lua("return pressed"), { "jump" })
  nvim:type("r")
  contains(nvim:messages(), "botglue: no such thing")
  equal(nvim:messages():find("traceback"), nil)
end)

test("q closes it, and the cursor is where it was", function()
  local nvim = open()
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
  equal(nvim:lua("return { closed, #vim.api.nvim_list_bufs(), vim.api.nvim_get_current_buf() }"), { 1, 1, 1 })
end)

for name, command in pairs({
  ["the window"] = "close",
  ["its buffer"] = "bwipeout!",
  ["all other windows"] = "only",
  ["its tab page"] = "tabnew | tabclose! 1",
}) do
  test("nothing of it is left when the user closes " .. name, function()
    local nvim = open()
    if command == "only" then
      nvim:api("set_current_win", 1000)
    end
    nvim:api("command", command)
    nvim:eventually("it is closed", "return closed == 1")
    equal(#nvim:api("list_wins"), 1)
    equal(nvim:lua("return vim.fn.bufnr('^botglue://things$')"), -1)
    equal(nvim:lua("return vim.fn.exists('#botglue.float.2')"), 0)
  end)
end

test("opened a second time there is one", function()
  local nvim = open()
  nvim:lua("require('botglue.ui.float').open(float.spec)")
  equal(#nvim:api("list_wins"), 2)
  nvim:eventually("the first is closed", "return closed == 1")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
end)

test("it follows the size of the screen, and g? shows the keys that find no room", function()
  local nvim = open()
  nvim:api("ui_try_resize", 40, 12)
  nvim:eventually("it is narrower", "return vim.api.nvim_win_get_width(float.win) == 38")
  local shown = drawn(nvim)
  equal(shown[1], "╭ things " .. ("─"):rep(19) .. " 3 of them ╮")
  equal(shown[5], "╰ <CR> jump · r review · g? more " .. ("─"):rep(6) .. "╯")
  nvim:type("g?")
  equal(drawn(nvim)[5], "╰ t transcript · q close · g? more " .. ("─"):rep(4) .. "╯")
  nvim:type("g?")
  contains(drawn(nvim)[5], "r review")
  nvim:api("ui_try_resize", 12, 4)
  nvim:eventually("it is tiny", "return vim.api.nvim_win_get_width(float.win) == 10")
  nvim:api("ui_try_resize", 200, 50)
  nvim:eventually("it is as wide as it wants", "return vim.api.nvim_win_get_width(float.win) == 60")
  contains(drawn(nvim)[5], "q close")
end)

test("who types in it when the screen changes its size types on there", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:lua("vim.api.nvim_create_autocmd('VimResized', { command = 'tabdo wincmd =' })")
  nvim:type(":2Botglue<CR>abc ")
  nvim:api("ui_try_resize", 90, 24)
  nvim:eventually("the size is another", "return vim.o.columns == 90")
  nvim:type("def")
  local prompt =
    "return vim.api.nvim_buf_get_lines(require('botglue.host.connection').prompt.float.bufnr, 0, -1, true)"
  equal(nvim:lua(prompt), { "abc def" })
  equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), { "a", "b", "c" })
end)

test("a note stands at the left of the footer, the keys at its right", function()
  local nvim = open({ note = "opus 71 %", keys = {} })
  equal(drawn(nvim)[5], "╰ opus 71 % " .. ("─"):rep(40) .. " q close ╯")
end)

test("where no window can be opened nothing is left", function()
  local nvim = child.with_host({ "one" })
  nvim:type("q:")
  nvim:type("aBotglue jobs<Esc>:Botglue jobs<CR>")
  nvim:settle()
  contains(nvim:messages(), "botglue: no window can be opened from the command-line window")
  equal(nvim:lua("return vim.fn.bufnr('^botglue://jobs$')"), -1)
end)

test("another buffer cannot take its place", function()
  local nvim = open()
  nvim:lua("pcall(vim.cmd.buffer, 1)")
  equal(nvim:lua("return vim.api.nvim_win_get_buf(float.win) == float.bufnr"), true)
end)

test("a window that is closed leaves no ruler of its own on the last line", function()
  local nvim = child.with_host({ "one", "two" })
  local function last()
    return (nvim:screen():match("[^\n]*$"))
  end
  for _, keys in ipairs({ ":Botglue jobs<CR>|q", ":1Botglue<CR>words|<Esc><Esc>", ":1Botglue<CR>words|<C-s>" }) do
    local to_open, to_close = keys:match("(.*)|(.*)")
    nvim:type(to_open)
    contains(last(), "All")
    nvim:type(to_close)
    nvim:eventually("it is closed", "return vim.api.nvim_win_get_config(0).relative == ''")
    equal(last():find("All"), nil, keys)
  end
end)

test("a list that is opened out of Insert mode takes no text", function()
  for _, keys in ipairs({ "<F6>", "<C-o><F6>" }) do
    local nvim = child.with_host({ "one", "two" })
    nvim:lua([[
      vim.keymap.set({ "i", "n" }, "<F6>", "<Cmd>Botglue jobs<CR>")
    ]])
    nvim:run({ kind = "line", first = { 2 }, last = { 2 } })
    nvim:type("Aty" .. keys)
    nvim:eventually("the list is open", "return vim.fn.bufname() == 'botglue://jobs'")
    equal(nvim:api("get_mode").mode, "n")
    nvim:type("q")
    equal({ nvim:lines(), nvim:api("get_mode").mode }, { { "onety", "two" }, "n" })
  end
end)

test("an autocommand of somebody's that fails does not keep a window from being one", function()
  for _, failing in ipairs({ "BufEnter", "BufWinEnter", "BufLeave", "WinEnter", "WinLeave", "WinNew" }) do
    local nvim = child.with_host({ "one", "two" })
    nvim:lua("vim.cmd('autocmd ' .. ... .. ' * ++once call NoSuchFunction()')", failing)
    nvim:type("V:Botglue<CR>")
    nvim:type("typed")
    equal({
      nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"),
      nvim:lua("return require('botglue.host.connection').prompt:text()"),
    }, { { "one", "two" }, "typed" }, failing)
    nvim:type("<Esc><Esc>")
    equal({ nvim:lines(), #nvim:api("list_wins") }, { { "one", "two" }, 1 }, failing)
  end
end)
