--- What is drawn can be read in each colour scheme that Neovim ships, and seen: by the cells of the screen, whatever
--- groups they are made of.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- What runs in the child: the colours of cells of the screen, and which texts on it cannot be read.
local SUPPORT = [[
  local READABLE = 3 -- the least contrast of a text with what is behind it
  local VISIBLE = 15 -- the least difference of two areas, in the part of the colour that differs most, of 255
  -- A status line is the user's.
  vim.o.laststatus = 0

  local function parts(colour)
    return { math.floor(colour / 0x10000), math.floor(colour / 0x100) % 256, colour % 256 }
  end

  local function luminance(colour)
    local sum = 0
    for i, part in ipairs(parts(colour)) do
      local linear = part <= 10 and part / 255 / 12.92 or ((part / 255 + 0.055) / 1.055) ^ 2.4
      sum = sum + linear * ({ 0.2126, 0.7152, 0.0722 })[i]
    end
    return sum
  end

  --- Whether a text can be read, by its contrast as WCAG defines it.
  function _G.is_readable(fg, bg)
    local a, b = luminance(fg) + 0.05, luminance(bg) + 0.05
    return math.max(a, b) / math.min(a, b) >= READABLE
  end

  --- Whether one colour is told from another.
  function _G.differs(one, other)
    return vim.iter(ipairs(parts(one))):any(function(i, part)
      return math.abs(part - parts(other)[i]) >= VISIBLE
    end)
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

  --- The text of a cell and its colours.
  function _G.cell(grid, row, column)
    local text, look = unpack(vim.api.nvim__inspect_cell(grid, row, column))
    local normal, is_dark = vim.api.nvim_get_hl(0, { name = "Normal", link = false }), vim.o.background == "dark"
    local fg = look and look.foreground or normal.fg or (is_dark and 0xffffff or 0)
    local bg = look and look.background or normal.bg or (is_dark and 0 or 0xffffff)
    if look and look.reverse then
      fg, bg = bg, fg
    end
    return text, fg, bg
  end

  --- The texts that cannot be read, each combination of colours once. Borders are seen, not read.
  function _G.unreadable()
    local found = {}
    for _, grid in ipairs(grids()) do
      for row = 0, vim.o.lines - 1 do
        for column = 0, vim.o.columns - 1 do
          local text, fg, bg = cell(grid, row, column)
          if text and text:find("[%w<>:/]") and not is_readable(fg, bg) then
            found[("#%06x on #%06x"):format(fg, bg)] = true
          end
        end
      end
    end
    return vim.tbl_keys(found)
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

--- What is on the screen: jobs that failed, are held and run, the line of a range with its tools, a review, a prompt.
local SCENES = {
  ["the list of jobs, its selected row too"] = ":Botglue jobs<CR>",
  ["what jobs cost"] = ":Botglue info<CR>",
  ["the lines below ranges and the list of tools"] = "5G",
  ["the hunks of a review"] = ":Botglue review 2<CR>",
  ["the prompt"] = ":Botglue<CR>a name",
}

--- A child with a job that has failed, one that is held, and one that runs.
local function start()
  local nvim = child.with_host({ "", "one", "", "two", "three", "" })
  nvim:lua(SUPPORT)
  nvim:lua("vim.o.cursorline = true")
  nvim:run(child.line(1))
  nvim:agent(1, "refuse", 400, "no")
  nvim:run(child.line(2), { review = true })
  nvim:answer(2, { "ONE" })
  nvim:run(child.line(4, 5))
  local call = nvim:agent(3, "call", "Read", { file_path = "a" })
  nvim:agent(3, "result", call, "no", true)
  nvim:agent(3, "call", "Read", { file_path = "b" })
  return nvim
end

for name, keys in pairs(SCENES) do
  test(name .. " can be read in each colour scheme", function()
    local nvim = start()
    nvim:type(keys)
    nvim:shows(({ ["5G"] = "✗ Read", [":Botglue review 2<CR>"] = "do take" })[keys] or "╯")
    equal(wrong_in_schemes(nvim, "return unreadable()"), {})
  end)
end

test("a running job's range is told from the line of the cursor, and from the rest", function()
  local nvim = start()
  nvim:type("3G")
  local wrong = wrong_in_schemes(
    nvim,
    [[
    local row = vim.fn.screenpos(0, 4, 1).row - 1
    local _, fg, bg = cell(1, row, 0)
    local wrong = is_readable(fg, bg) and {} or { "its text" }
    for name, other in pairs({ cursor = vim.fn.screenrow() - 1, plain = vim.fn.screenpos(0, 6, 1).row - 1 }) do
      local _, text, area = cell(1, other, 0)
      if not (differs(fg, text) or differs(bg, area)) then
        wrong[#wrong + 1] = "like " .. name
      end
    end
    return wrong
  ]]
  )
  equal(wrong, {})
end)

test("the selected row of a list is seen in each colour scheme", function()
  local nvim = start()
  nvim:type(":Botglue jobs<CR>")
  local wrong = wrong_in_schemes(
    nvim,
    [[
    local line, grid = vim.fn.line("."), grids()[2]
    local _, _, selected = cell(grid, line, 2)
    local _, _, plain = cell(grid, line == 1 and 2 or line - 1, 2)
    return differs(selected, plain) and {} or { ("#%06x, #%06x"):format(selected, plain) }
  ]]
  )
  equal(wrong, {})
end)

test("what the user or a colour scheme defines is kept", function()
  local nvim = child.with_host({ "" })
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
