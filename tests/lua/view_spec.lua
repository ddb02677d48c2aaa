-- The windows that the host draws: what is drawn is what was said, and keys that are typed ahead are for the window.

local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

test("a thousand random frames: text and highlights are those of the frame", function()
  local nvim = child.start()
  local wrong = nvim:lua([[
    local view = require("botglue.ui.view")
    local GROUPS = { "A", "B", "C" }
    for i, group in ipairs(GROUPS) do
      vim.api.nvim_set_hl(0, group, { fg = i })
    end
    vim.o.foldenable = false
    math.randomseed(7)
    local random = math.random
    --- A row, one part of which is highlighted: its text, and the highlights.
    local function row()
      local before, text = ("größe "):rep(random(0, 2)), ("日本 x"):rep(random(0, 2))
      local whole = before .. text .. "."
      return #text > 0 and { whole, { #before, #before + #text, GROUPS[random(#GROUPS)] } } or whole
    end
    local function many(most)
      local rows = {}
      for i = 1, random(0, most) do
        rows[i] = row()
      end
      return rows
    end
    --- The group of each cell of a row.
    local function groups(one)
      local cells = {}
      if type(one) == "table" then
        local from, past, group = unpack(one[2])
        local width = vim.api.nvim_strwidth
        for cell = width(one[1]:sub(1, from)) + 1, width(one[1]:sub(1, past)) do
          cells[cell] = group
        end
      end
      return cells
    end
    local shown = many(12)
    view.draw({ id = "v", rows = { { 0, 0, shown } }, open = {
      kind = "split", name = "botglue://v", buffer = {}, window = { wrap = false }, keys = {},
    } })
    -- The first look at a cell makes Neovim keep groups from then on.
    vim.api.nvim__inspect_cell(1, 0, 0)
    vim.cmd("redraw!")
    local bufnr, top = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_position(0)[1]
    for n = 1, 1000 do
      local splices = {}
      for i = 1, random(1, 3) do
        local at = random(0, #shown)
        local gone, rows = random(0, math.min(#shown - at, 6)), many(4)
        splices[i] = { at, gone, rows }
        local kept = vim.list_slice(shown, at + gone + 1)
        shown = vim.list_extend(vim.list_extend(vim.list_slice(shown, 1, at), rows), kept)
      end
      view.draw({ id = "v", rows = splices })
      local lines = vim.tbl_map(function(one) return type(one) == "table" and one[1] or one end, shown)
      if not vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), #lines > 0 and lines or { "" }) then
        return { n, "text" }
      end
      vim.cmd.redraw()
      for i = vim.fn.line("w0"), math.min(vim.fn.line("w$"), #shown) do
        local wanted = groups(shown[i])
        for cell = 1, 60 do
          local look = vim.api.nvim__inspect_cell(1, top + i - vim.fn.line("w0"), cell - 1)[3][1] or {}
          if look.hi_name ~= wanted[cell] then
            return { n, "highlights", i, cell, look.hi_name or "", wanted[cell] or "" }
          end
        end
      end
    end
    return {}
  ]])
  equal(wrong, {})
end)

test("a window whose host is gone stays until q, and says so", function()
  local nvim = child.with_host({ "one" })
  nvim:type(":Botglue info<CR>")
  nvim:shows("all time")
  local rows = nvim:lines()
  nvim:host("die")
  nvim:shows("✗ the host has ended · q close")
  contains(nvim:messages(), "botglue: the host was ended by signal 9")
  nvim:type("ddx")
  equal({ nvim:lines(), nvim:lines(1) }, { rows, { "one" } })
  nvim:type(":Botglue info<CR>")
  equal(#nvim:api("list_wins"), 3, "the next host has one of its own")
  nvim:type("qq")
  equal(#nvim:api("list_wins"), 1)
end)

test("no host at all is one line", function()
  local nvim = child.with_host({ "one" })
  nvim:lua("require('botglue').setup({ host = '/nowhere' }); vim.g.botglue = nil")
  nvim:type(":Botglue info<CR>")
  contains(nvim:messages(), "host missing: run `make install`")
end)

for name, command in pairs({
  ["the window"] = "close",
  ["its buffer"] = "bwipeout!",
  ["all other windows"] = "only",
  ["its tab page"] = "tabnew | tabclose! 1",
}) do
  test("nothing of it is left when the user closes " .. name, function()
    local nvim = child.with_host({ "one" })
    nvim:type(":Botglue info<CR>")
    if command == "only" then
      nvim:api("set_current_win", 1000)
    end
    nvim:api("command", command)
    nvim:eventually("the host is told", "return #require('support.host').received('closed') == 1")
    nvim:eventually("it is closed", "return vim.fn.bufnr('^botglue://info$') == -1")
    equal(#nvim:api("list_wins"), 1)
  end)
end

test(":e! shows its rows again", function()
  local nvim = jobs.stored(2)
  jobs.open_history(nvim)
  local before = nvim:lines()
  nvim:type(":e!<CR>")
  equal({ nvim:lines(), nvim:lua("return vim.bo.modifiable") }, { before, false })
end)

test("it follows the size of the screen", function()
  local nvim = child.with_host({ "one" })
  nvim:type(":Botglue info<CR>")
  nvim:api("ui_try_resize", 40, 12)
  nvim:eventually("it is narrower", "return vim.api.nvim_win_get_width(0) == 38")
  nvim:shows("q close ╯")
  nvim:api("ui_try_resize", 200, 50)
  nvim:eventually("it is as wide as it wants", "return vim.api.nvim_win_get_width(0) == 77")
  nvim:lua("pcall(vim.cmd.buffer, 1)")
  equal(nvim:lua("return vim.fn.bufname()"), "botglue://info", "no other buffer takes its place")
end)

for _, failing in ipairs({ "BufEnter", "BufWinEnter", "BufLeave", "WinEnter", "WinLeave", "WinNew" }) do
  test("who is in the window when an autocommand fails: " .. failing, function()
    for keys, close in pairs({ [":Botglue info<CR>ddx"] = "q", ["V:Botglue<CR>typed"] = "<Esc><Esc>" }) do
      local nvim = child.with_host({ "one", "two" })
      nvim:lua("vim.cmd('autocmd ' .. ... .. ' * ++once call NoSuchFunction()')", failing)
      nvim:type(keys)
      equal(nvim:lua("return vim.api.nvim_win_get_config(0).relative"), "editor", keys)
      equal(nvim:lines(1), { "one", "two" }, keys)
      nvim:type(close)
      equal({ nvim:lines(), #nvim:api("list_wins") }, { { "one", "two" }, 1 }, keys)
    end
  end)
end

test("a window that is closed leaves no ruler of its own on the last line", function()
  local nvim = child.with_host({ "one", "two" })
  local function last()
    return (nvim:screen():match("[^\n]*$"))
  end
  for open, close in pairs({ [":Botglue info<CR>"] = "q", [":1Botglue<CR>words"] = "<C-s>" }) do
    nvim:type(open)
    contains(last(), "All")
    nvim:type(close)
    equal(last():find("All"), nil, close)
  end
end)

test("a window that is opened out of Insert mode takes no text", function()
  for _, keys in ipairs({ "<F6>", "<C-o><F6>" }) do
    local nvim = child.with_host({ "one", "two" })
    nvim:lua("vim.keymap.set({ 'i', 'n' }, '<F6>', '<Cmd>Botglue info<CR>')")
    nvim:type("Aty" .. keys)
    equal(nvim:lua("return { vim.fn.bufname(), vim.api.nvim_get_mode().mode }"), { "botglue://info", "n" })
    nvim:type("q")
    equal({ nvim:lines(), nvim:api("get_mode").mode }, { { "onety", "two" }, "n" })
  end
end)

test("a window that may not open yet opens once it may", function()
  local nvim = child.with_host({ "one" })
  nvim:lua([[
    vim.keymap.set("n", "X", function()
      vim.cmd("Botglue info")
      return ""
    end, { expr = true })
  ]])
  nvim:type("X")
  nvim:eventually("it is open", "return vim.fn.bufname() == 'botglue://info'")
  nvim:type("q")
  equal({ #nvim:api("list_wins"), nvim:messages() }, { 1, "" })
end)

test("a window that a session brings back without its text is closed", function()
  local nvim = child.start()
  nvim:type(":let SessionLoad = 1<CR>:new<CR>:file botglue://jobs<CR>")
  nvim:eventually("it is closed", "return vim.fn.winnr('$') == 1 and vim.fn.bufexists('botglue://jobs') == 0")
end)
