-- Which hunk a row means: `at`, without a Neovim of its own.

local at = require("botglue.ui.review.at")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- Hunks by their first rows and counts.
local function hunks(...)
  local found = {}
  for i, each in ipairs({ ... }) do
    found[i] = { id = tostring(i), first = each[1], count = each[2], lines = { "new" } }
  end
  return found
end

test(
  "a hunk is under the cursor on its rows, an insertion on the row above it, else on the one below",
  function()
    local all = hunks({ 2, 2 }, { 5, 0 }, { 6, 1 })
    local function under(row)
      return at.under(all, row) or false
    end
    equal(vim.iter({ 0, 1, 2, 3, 4, 5, 6, 7 }):map(under):totable(), { false, false, 1, 1, 2, 2, 3, false })
  end
)

test("an insertion above the first row is on that row, unless a hunk has it", function()
  equal(at.under(hunks({ 0, 0 }), 0), 1)
  equal(at.under(hunks({ 0, 0 }), 1), nil)
  equal(at.under(hunks({ 0, 0 }, { 1, 0 }), 0), 2)
  equal(at.row(hunks({ 0, 0 })[1]), 0)
end)

test("where several hunks are at a row, it is the one that the cursor went to", function()
  local both = hunks({ 0, 0 }, { 1, 0 })
  equal(at.under(both, 0, "1"), 1)
  equal(at.under(both, 0, "2"), 2)
  equal(at.under(both, 0, "gone"), 2)
end)

test("the next and the previous hunk are counted, not their rows", function()
  local all = hunks({ 0, 0 }, { 1, 0 }, { 4, 3 }, { 9, 1 })
  for _, case in ipairs({
    -- From a row, the hunk visited there, steps; the hunk gone to.
    { 0, "1", 1, 2 },
    { 0, "2", 1, 3 },
    { 0, "2", -1, 1 },
    { 0, "1", -1, nil },
    { 0, "1", 3, 4 },
    { 2, nil, 1, 3 },
    { 2, nil, -1, 2 },
    { 5, nil, -1, 3 },
    { 5, nil, -2, 2 },
    { 5, nil, 1, 4 },
    { 9, nil, 1, nil },
    { 20, nil, 1, nil },
    { 20, nil, -1, 4 },
    { 20, nil, -9, 1 },
    { 7, nil, 9, 4 },
  }) do
    equal(at.step(all, case[1], case[3], case[2]), case[4], vim.inspect(case))
  end
  equal(at.step({}, 3, 1), nil)
  equal(at.step({}, 3, -1), nil)
end)

test("lines have the hunks that share a row with them, and the insertions below one of them", function()
  local all = hunks({ 0, 0 }, { 2, 2 }, { 6, 0 }, { 8, 1 })
  equal(at.within(all, 0, 1), { 1 })
  equal(at.within(all, 1, 2), {})
  equal(at.within(all, 3, 6), { 2, 3 })
  equal(at.within(all, 6, 8), {})
  equal(at.within(all, 0, 9), { 1, 2, 3, 4 })
end)
