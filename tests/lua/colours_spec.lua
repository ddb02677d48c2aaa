--- What is drawn can be read in each colour scheme that Neovim ships, and seen: by the cells of the screen, whatever
--- groups they are made of.

local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local use_tools = require("support.running").use_tools

--- What runs in the child: the colours of cells of the screen, and which texts on it cannot be read.
local SUPPORT = [[
  _G.colour = require("support.colour")
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
          if cell[1]:find("[%w<>:/]") and contrast < colour.READABLE and not seen[key] then
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

--- How many windows float.
local function floating(nvim)
  return nvim:lua("return #grids() - 1")
end

for _, command in ipairs({ "jobs", "info" }) do
  test(command .. ": title, keys and rows can be read in each colour scheme, the selected row too", function()
    local nvim = start({ "" })
    nvim:run(child.line(1, 1))
    nvim:agent(1, "refuse", 400, "no")
    nvim:settle()
    nvim:run(child.line(1, 1), { review = true })
    nvim:answer(2, { "A" })
    nvim:run(child.line(1, 1))
    nvim:type((":Botglue %s<CR>"):format(command))
    nvim:eventually("the window is open", "return vim.api.nvim_win_get_config(0).relative ~= ''")
    nvim:settle()
    equal(floating(nvim), 1)
    equal(wrong_in_schemes(nvim, "return unreadable()"), {})
  end)
end

test("the prompt can be read in each colour scheme", function()
  local nvim = start({ "" })
  nvim:type(":Botglue<CR>a name")
  contains(nvim:screen(), "a name")
  contains(nvim:screen(), "send")
  equal(floating(nvim), 1)
  equal(wrong_in_schemes(nvim, "return unreadable()"), {})
end)

test("lines below a range, tools, and hunks of a review can be read in each colour scheme", function()
  local nvim = start({ "", "one", "", "two", "" })
  nvim:run(child.line(2, 2), { review = true })
  nvim:answer(1, { "ONE" })
  nvim:type("4G")
  nvim:run(child.line(4))
  use_tools(nvim, { "ok", "error", "running" }, 2)
  contains(nvim:screen(), "✗ Read")
  equal(wrong_in_schemes(nvim, "return unreadable()"), {})
  nvim:type(":Botglue review 1<CR>")
  nvim:shows("do take")
  equal(wrong_in_schemes(nvim, "return unreadable()"), {})
end)

test("a running job's range is told from the line of the cursor, and from the rest", function()
  local nvim = start({ "a", "b", "c", "d" })
  nvim:lua("vim.o.cursorline = true")
  nvim:run(child.line(3, 3))
  nvim:runs(1)
  local wrong = wrong_in_schemes(
    nvim,
    [[
    local wrong, cells = {}, {}
    for name, row in pairs({ cursor = 0, plain = 1, range = 2 }) do
      cells[name] = { colours(vim.api.nvim__inspect_cell(1, row, 0)) }
    end
    local fg, bg = unpack(cells.range)
    for _, other in ipairs({ "cursor", "plain" }) do
      local text, area = unpack(cells[other])
      if math.max(colour.difference(fg, text), colour.difference(bg, area)) < colour.VISIBLE then
        wrong[#wrong + 1] = "like " .. other
      end
    end
    if colour.contrast(fg, bg) < colour.READABLE then
      wrong[#wrong + 1] = ("text in the range: %.1f"):format(colour.contrast(fg, bg))
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

test("what the user or a colour scheme defines is kept", function()
  local nvim = start({ "" })
  nvim:lua([[
    vim.api.nvim_set_hl(0, "BotglueRange", { link = "Todo" })
    vim.api.nvim_create_autocmd("ColorScheme", {
      callback = function() vim.api.nvim_set_hl(0, "BotglueTitle", { fg = 0x123456 }) end,
    })
    require("botglue.ui.highlight").define()
  ]])
  local function look(name)
    return nvim:lua("local look = vim.api.nvim_get_hl(0, { name = ... }); return look.link or look.fg", name)
  end
  equal({ look("BotglueRange"), look("BotglueHeld") }, { "Todo", "Title" })
  nvim:lua("vim.cmd.colorscheme('slate')")
  equal({ look("BotglueTitle"), look("BotglueHeld") }, { 0x123456, "Title" })
  nvim:lua("vim.o.background = 'light'")
  equal(look("BotglueHeld"), "Title")
end)
