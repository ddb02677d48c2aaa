local suite = require("support.suite")
local tidied = require("botglue.tidied")
local test, equal = suite.test, suite.equal

test("the lines of an answer are rows of its text, some of them changed at their beginning", function()
  local text = "Here it is:\n```lua\nlocal größe\n\n  return größe\n```"
  equal(tidied.lines(text, { from = 0, count = 2, changed = {} }), { "Here it is:", "```lua" })
  local indented = { { 1, "    ", 13 }, { 3, "    ", 16 } }
  equal(
    tidied.lines(text, { from = 2, count = 3, changed = indented }),
    { "    local größe", "", "      return größe" }
  )
  equal(tidied.lines(text, { from = 2, count = 1, changed = { { 1, "else", 0 } } }), { "else" })
  equal(tidied.lines(text, { from = 2, count = 0, changed = {} }), {})
  equal(tidied.lines("```\n```", { from = 1, count = 2, changed = { { 1, "", 0 } } }), { "", "" })
end)

test("edits name their lines by where those stand in the answer", function()
  local edits = { { first = 1, last = 1, from = 1, count = 2 }, { first = 3, last = 4, from = 5, count = 0 } }
  equal(tidied.edits(edits, { "a", "b", "c", "d", "e" }), {
    { first = 1, last = 1, lines = { "b", "c" } },
    { first = 3, last = 4, lines = {} },
  })
end)
