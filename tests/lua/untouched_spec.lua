--- Whatever writes an answer, what is the user's own stays: cursor, view, registers, jumps, search, selection, marks.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local STATE = [[
  local function text_at(mark)
    local at = vim.fn.getpos(mark)
    return { vim.fn.getline(at[2]), at[3] }
  end
  local windows = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    windows[#windows + 1] = vim.api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      local jumps = vim.tbl_map(function(jump)
        return { vim.fn.getline(jump.lnum), jump.col }
      end, vim.fn.getjumplist()[1])
      local folded = vim.fn.foldclosed(vim.fn.search("^line 70$", "nw"))
      return { vim.fn.getline("."), view.col, vim.fn.getline(view.topline), jumps, folded > 0 }
    end)
  end
  return {
    windows = windows,
    mode = vim.fn.mode(),
    registers = { vim.fn.getreg('"'), vim.fn.getreg("/"), vim.fn.getreg("."), vim.fn.getreg("0") },
    hlsearch = vim.v.hlsearch,
    change = { text_at("'["), text_at("']") },
    visual = { text_at("'<"), text_at("'>"), vim.fn.visualmode() },
    last = { text_at("'."), text_at("'^") },
    changes = vim.tbl_map(function(entry)
      return { vim.fn.getline(entry.lnum), entry.col }
    end, vim.fn.getchangelist(1)[1]),
    message = vim.fn.execute("1messages"),
  }
]]

--- The ways in which an answer for lines 10 and 11 gets into the buffer.
local WAYS = {
  landing = { before = "" },
  merging = { before = ":10s/$/ mine/<CR>" },
  accepting = { before = "", review = true, decide = "accept" },
  reverting = { before = "", decide = "revert" },
}

--- Where the user may be meanwhile: keys to get there, and keys that go on.
local PLACES = {
  normal = { "", "x" },
  insert = { "A, typed", " on<Esc>" },
  replace = { "Rxyz", "z<Esc>" },
  terminal = { ":botright new | terminal cat<CR>i", "" },
  ["a fold"] = { ":65,75fold<CR>70G", "" },
  textwidth = { ":setlocal textwidth=20 formatoptions+=t<CR>A", " some words that are wrapped<Esc>" },
  ["a macro"] = { "qqA!", "<Esc>q" },
}

for way, how in pairs(WAYS) do
  for place, keys in pairs(PLACES) do
    test(("%s in %s moves nothing of the user's"):format(way, place), function()
      local lines = {}
      for i = 1, 100 do
        lines[i] = "line " .. i
      end
      local nvim = child.with_host(lines)
      nvim:run({ kind = "line", first = { 10 }, last = { 11 } }, { review = how.review })
      nvim:type(how.before)
      if how.decide then
        nvim:answer(1, { "line 10", "line 11", "new" })
      end
      nvim:type("80GAa<Esc>90GAb<Esc>30Gzt32GyyjVj<Esc>/line 6.<CR>60G3|:split<CR>50Gzt55G4|")
      nvim:type(keys[1])
      local before = nvim:lua(STATE)
      if how.decide then
        nvim:lua("require('botglue')[...](1)", how.decide)
      else
        nvim:answer(1, { "line 10", "line 11", "new" })
      end
      local landing = nvim:job(1).landing
      equal(
        landing,
        ({ landing = "applied", merging = "merged", accepting = "applied", reverting = "reverted" })[way]
      )
      nvim:api("command", "redraw")
      equal(nvim:lua(STATE), before)
      nvim:type(keys[2])
      equal(
        nvim:lua("return vim.fn.search('^new$', 'nw') > 0 or vim.bo.buftype ~= ''"),
        way ~= "reverting" or place == "terminal"
      )
    end)
  end
end

test("a formatter that runs on every change gets in nobody's way", function()
  local nvim = child.with_host({ "a", "b", "c", "d" })
  nvim:lua([[
    vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
      callback = function()
        local lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
        local tidy = vim.tbl_map(function(line) return (line:gsub("%s+$", "")) end, lines)
        if not vim.deep_equal(lines, tidy) then
          vim.api.nvim_buf_set_lines(0, 0, -1, true, tidy)
        end
      end,
    })
  ]])
  nvim:run({ kind = "line", first = { 2 }, last = { 3 } })
  nvim:type("GAx<Esc>")
  nvim:answer(1, { "b  ", "C", "c" })
  nvim:type("A <Esc>")
  nvim:settle()
  equal(nvim:lines(), { "a", "b", "C", "c", "dx" })
  equal(nvim:job(1).landing, "applied")
end)
