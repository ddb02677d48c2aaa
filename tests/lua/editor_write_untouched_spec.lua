-- Whatever `editor.write` writes, what is the user's own stays: cursor, view, registers, jumps, search, selection and
-- marks.

local steps = require("support.steps")
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

--- What is written: rows from 0, of which row n reads "line n+1".
local WAYS = {
  ["rows replaced"] = { { 9, 11, { "line 10", "new" } } },
  ["rows taken away"] = { { 9, 12, { "new" } } },
  ["a row parted"] = { { 9, 10, { "line", "new", "10" } } },
  ["rows joined"] = { { 9, 12, { "line 12" } }, { 12, 12, { "new" } } },
  ["two steps"] = { { 9, 10, { "line 10!" } }, { 10, 10, { "new" } } },
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

for way, edits in pairs(WAYS) do
  for place, keys in pairs(PLACES) do
    test(("%s in %s moves nothing of the user's"):format(way, place), function()
      local rows = {}
      for i = 1, 100 do
        rows[i] = "line " .. i
      end
      local nvim = steps.start(rows)
      nvim:type("80GAa<Esc>90GAb<Esc>30Gzt32GyyjVj<Esc>/line 6.<CR>60G3|:split<CR>50Gzt55G4|")
      nvim:type(keys[1])
      local before = nvim:lua(STATE)
      if way == "two steps" then
        equal(steps.states(steps.write(nvim, { { edits[1] }, { edits[2] } })), "written written")
      else
        steps.written(nvim, edits)
      end
      nvim:api("command", "redraw")
      equal(nvim:lua(STATE), before)
      nvim:type(keys[2])
      equal(vim.tbl_contains(steps.rows(nvim), "new"), true)
    end)
  end
end
