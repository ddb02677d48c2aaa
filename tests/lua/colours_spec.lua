--- What is drawn can be read in each colour scheme that Neovim ships, and seen: by the cells of the screen, whatever
--- groups they are made of.

local child = require("support.child")
local colour = require("botglue.ui.colour")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- What runs in the child: the colours of cells of the screen, and which texts on it cannot be read.
local SUPPORT = [[
  _G.colour = require("botglue.ui.colour")
  -- A status line is the user's.
  vim.o.laststatus = 0

  function _G.normal()
    local look, is_dark = vim.api.nvim_get_hl(0, { name = "Normal", link = false }), vim.o.background == "dark"
    return look.fg or (is_dark and 0xffffff or 0), look.bg or (is_dark and 0 or 0xffffff)
  end

  --- The grids on the screen: the editor's, and one for each window that floats, which is smaller.
  function _G.grids()
    local grids = { 1 }
    for grid = 2, 99 do
      local ok, cell = pcall(vim.api.nvim__inspect_cell, grid, vim.o.lines - 1, vim.o.columns - 1)
      if ok and #cell == 0 then
        grids[#grids + 1] = grid
      end
    end
    return grids
  end

  --- The rows of a grid, each a list of cells. One that was drawn before the last change of colours has no attributes.
  function _G.rows(grid)
    local rows = {}
    for row = 0, vim.o.lines - 1 do
      rows[row + 1] = {}
      for column = 0, vim.o.columns - 1 do
        local cell = vim.api.nvim__inspect_cell(grid, row, column)
        rows[row + 1][column + 1] = cell[1] and cell or nil
      end
    end
    return rows
  end

  function _G.colours(cell)
    local fg, bg = normal()
    local look = cell[2] or {}
    fg, bg = look.foreground or fg, look.background or bg
    if look.reverse then
      fg, bg = bg, fg
    end
    return fg, bg
  end

  --- The texts that cannot be read, each combination of colours once. Borders are seen, not read.
  function _G.unreadable()
    local found, seen = {}, {}
    for _, grid in ipairs(grids()) do
      for _, row in ipairs(rows(grid)) do
        for column, cell in ipairs(row) do
          local fg, bg = colours(cell)
          local contrast, key = colour.contrast(fg, bg), ("#%06x on #%06x"):format(fg, bg)
          if cell[1]:find("[%w<>:/]") and contrast < 3 and not seen[key] then
            seen[key] = true
            local text = vim.iter(row):skip(column - 1):take(12):map(function(one) return one[1] end):join("")
            found[#found + 1] = ("%q is %s: %.1f"):format(text, key, contrast)
          end
        end
      end
    end
    return found
  end
]]

--- Looks at the child in each colour scheme, dark and light.
---@param check string Lua that returns what is wrong
---@return string[]
local function wrong_in_schemes(nvim, check)
  local wrong, schemes = {}, nvim:lua("return vim.fn.getcompletion('', 'color')")
  assert(#schemes > 10, "Neovim ships colour schemes")
  for _, scheme in ipairs(schemes) do
    for _, background in ipairs({ "dark", "light" }) do
      nvim:lua("vim.o.background, vim.g.scheme = ...; vim.cmd.colorscheme(vim.g.scheme)", background, scheme)
      local found = nvim:eventually(
        "the screen is drawn with these colours",
        ("vim.cmd.redraw(); local ok, found = pcall(function() %s end); return ok and { found }"):format(
          check
        )
      )
      for _, what in ipairs(found[1]) do
        wrong[#wrong + 1] = ("%s %s: %s"):format(scheme, background, what)
      end
    end
  end
  return wrong
end

local function start(lines)
  local nvim = child.with_host(lines)
  nvim:lua(SUPPORT)
  return nvim
end

test("a contrast is that of WCAG, and a difference that of the part that differs most", function()
  equal(colour.contrast(0x000000, 0xffffff), 21)
  equal(colour.contrast(0x808080, 0x808080), 1)
  equal(("%.2f"):format(colour.contrast(0x777777, 0xffffff)), "4.48")
  equal(("%.2f"):format(colour.difference(0x102030, 0x104030)), "0.13")
  equal(colour.mix(0xff0000, 0x0000ff, 0.5), 0x800080)
end)

test("a colour becomes readable by as little as that takes, on several backgrounds too", function()
  equal(colour.readable(0xffffff, { 0x000000 }), 0xffffff)
  for _, backgrounds in ipairs({ { 0x000000 }, { 0xffffff }, { 0x202020, 0x404040 }, { 0xffffff, 0x0e0024 } }) do
    for _, given in ipairs({ 0xff0000, 0x000087, 0x888888, 0xffffff, 0x000000 }) do
      local made = colour.readable(given, backgrounds)
      equal(colour.least_contrast(made, backgrounds) >= colour.READABLE, true, ("%06x"):format(given))
    end
  end
end)

--- How many windows float.
local function floating(nvim)
  return nvim:lua("return #grids() - 1")
end

test("titles, keys and rows of a window can be read in each colour scheme, the selected row too", function()
  local nvim = start({ "" })
  nvim:run(child.line(1, 1))
  nvim:agent(1, "refuse", 400, "no")
  nvim:settle()
  nvim:run(child.line(1, 1), { review = true })
  nvim:answer(2, { "A" })
  nvim:run(child.line(1, 1))
  for _, command in ipairs({ "jobs", "history", "info" }) do
    nvim:type((":Botglue %s<CR>"):format(command))
    nvim:eventually("the window is open", "return vim.api.nvim_win_get_config(0).relative ~= ''")
    nvim:settle()
    equal(floating(nvim), 1)
    equal(wrong_in_schemes(nvim, "return unreadable()"), {}, command)
    nvim:type("q")
  end
end)

test("the prompt can be read in each colour scheme", function()
  local nvim = start({ "" })
  nvim:type(":Botglue<CR>a name")
  contains(nvim:screen(), "a name")
  contains(nvim:screen(), "send")
  equal(floating(nvim), 1)
  equal(wrong_in_schemes(nvim, "return unreadable()"), {})
end)

test("lines below a range, and hunks of a review, can be read in each colour scheme", function()
  local nvim = start({ "", "one", "", "two", "" })
  nvim:run(child.line(2, 2), { review = true })
  nvim:answer(1, { "ONE" })
  nvim:run(child.line(4, 4))
  nvim:runs(2)
  nvim:type(":Botglue review 1<CR>")
  nvim:eventually("it is drawn", "return require('botglue.host.connection').review ~= nil")
  nvim:settle()
  contains(nvim:screen(), "do take")
  equal(wrong_in_schemes(nvim, "return unreadable()"), {})
end)

test("each group of text can be read as it is defined, wherever it is drawn", function()
  local nvim = start({ "" })
  nvim:lua("require('botglue.ui.highlight').define()")
  local check = "return vim.tbl_map(vim.inspect, require('botglue.ui.looks').unreadable())"
  equal(wrong_in_schemes(nvim, check), {})
end)

test("a running job's range is told from the line of the cursor, and from the rest", function()
  local nvim = start({ "", "", "", "" })
  nvim:lua("vim.o.cursorline = true")
  nvim:run(child.line(3, 3))
  nvim:runs(1)
  local wrong = wrong_in_schemes(
    nvim,
    [[
    local wrong, areas = {}, {}
    for name, row in pairs({ cursor = 0, plain = 1, range = 2 }) do
      local _, bg = colours(vim.api.nvim__inspect_cell(1, row, 40))
      areas[name] = bg
    end
    for _, other in ipairs({ "cursor", "plain" }) do
      if colour.difference(areas.range, areas[other]) < colour.VISIBLE then
        wrong[#wrong + 1] = ("range #%06x, %s #%06x"):format(areas.range, other, areas[other])
      end
    end
    local contrast = colour.contrast(normal(), areas.range)
    if contrast < 4 then
      wrong[#wrong + 1] = ("text in the range: %.1f"):format(contrast)
    end
    return wrong
  ]]
  )
  equal(wrong, {})
end)

test("the selected row is seen in each colour scheme", function()
  local nvim = start({ "" })
  nvim:run(child.line(1, 1))
  nvim:run(child.line(1, 1))
  nvim:type(":Botglue jobs<CR>")
  local wrong = wrong_in_schemes(
    nvim,
    [[
    local line, shown = vim.fn.line("."), rows(grids()[2])
    local _, selected = colours(shown[line + 1][3])
    local _, plain = colours(shown[line == 1 and 3 or line][3])
    local is_seen = colour.difference(selected, plain) >= colour.VISIBLE
    return is_seen and {} or { ("#%06x, #%06x"):format(selected, plain) }
  ]]
  )
  equal(wrong, {})
end)

test("no text lies over the group of a border", function()
  local nvim = start({ "" })
  nvim:type(":Botglue jobs<CR>")
  local config = nvim:lua("return vim.api.nvim_win_get_config(0)")
  local chunks = vim.list_extend(config.title, config.footer)
  for _, chunk in ipairs(chunks) do
    local groups = type(chunk[2]) == "table" and chunk[2] or { chunk[2] }
    if chunk[1]:find("%w") then
      equal(vim.tbl_contains(groups, "BotglueBorder"), false, chunk[1])
    end
  end
end)

test("what the user defines is kept through colour schemes, what we define follows them", function()
  local nvim = start({ "" })
  local function look(name)
    return nvim:lua(
      "local look = vim.api.nvim_get_hl(0, { name = ... }); look.default = nil; return look",
      name
    )
  end
  nvim:lua([[
    vim.api.nvim_set_hl(0, "BotglueRange", { link = "Todo" })
    vim.api.nvim_create_autocmd("ColorScheme", {
      callback = function() vim.api.nvim_set_hl(0, "BotglueTitle", { fg = 0x123456 }) end,
    })
    require("botglue.ui.highlight").define()
  ]])
  equal(look("BotglueRange"), { link = "Todo" })
  equal(look("BotglueLabel"), { link = "Comment" })
  nvim:lua("vim.cmd.colorscheme('slate')")
  equal(look("BotglueTitle"), { fg = 0x123456 })
  equal(look("BotglueLabel").link, nil)
  nvim:lua("vim.cmd.colorscheme('default') vim.o.background = 'dark'")
  equal(look("BotglueLabel"), { link = "Comment" })
  nvim:lua("vim.o.background = 'light'")
  equal(look("BotglueLabel"), { link = "Comment" })
end)

test("with the default colours each group of text links to a standard group", function()
  local nvim = start({ "" })
  for _, background in ipairs({ "dark", "light" }) do
    nvim:lua("vim.o.background = ...; require('botglue.ui.highlight').define()", background)
    local own = nvim:lua([[
      local own = {}
      for name, look in pairs(vim.api.nvim_get_hl(0, {})) do
        local is_area = name == "BotglueRange" or name == "BotglueDelete"
        local is_link = look.link and not vim.startswith(look.link, "Botglue")
        if vim.startswith(name, "Botglue") and not is_area and not is_link then
          own[#own + 1] = name
        end
      end
      return own
    ]])
    equal(own, {})
  end
end)
