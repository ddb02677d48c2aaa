local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- What becomes of an answer for rows 2 and 3 after Lua in the child.
local function replaced(name, lines, code, expected, after)
  local nvim = child.with_host(lines)
  nvim:lua("_G.file = vim.fn.tempname(); vim.cmd('silent write ' .. file)")
  nvim:run(line(2, 3))
  nvim:settle()
  nvim:lua(code)
  nvim:settle()
  nvim:answer(1, { "NEW" })
  equal(nvim:outcome(1), expected, name)
  equal(nvim:lines(), after, name)
end

local applied = { "done", "applied" }

test("a range is the same rows after all around it was replaced", function()
  local lines, after = { "{", "one()", "two()", "}" }, { "-- new", "{", "NEW", "}" }
  local set = [[vim.api.nvim_buf_set_lines(0, 0, -1, true, { "-- new", "{", "one()", "two()", "}" })]]
  replaced("set_lines", lines, set, applied, after)
  replaced("a filter", lines, [[vim.cmd("silent %!sed '1i -- new'")]], applied, after)
  replaced(
    "read again",
    lines,
    [[vim.fn.writefile({ "-- new", "{", "one()", "two()", "}" }, file) vim.cmd("edit!")]],
    applied,
    after
  )
end)

test("an answer with a conflict replaces the range as it is when it is accepted", function()
  local ROWS = { "fn main() {", "let a = foo(1, 2);", "}", "e" }
  local PART = { kind = "char", first = { 2, 12 }, last = { 2, 15 } } -- 1, 2
  local function part(text)
    return { "fn main() {", "let a = foo(" .. text .. ");", "}", "e" }
  end
  for _, case in ipairs({
    { PART, "2G$F2r3", part("X") },
    { PART, "2G012ld4l", part("X") },
    { PART, "2G0f1cwwidth<Esc>2GA // mine<Esc>u", part("widthX") },
    { line(2, 3), "3Gdd", { "fn main() {", "X", "e" } },
    { line(2, 3), "1G2dd", { "X", "e" } },
    { line(2, 3), ":2,3move $<CR>GrX", { "fn main() {", "e", "X" } },
  }) do
    local range, keys, expected = unpack(case)
    local nvim = child.with_job(ROWS, range)
    nvim:type(keys)
    local typed = nvim:lines()
    nvim:answer(1, { "X" })
    equal({ nvim:outcome(1), nvim:lines() }, { { "done", "held", "conflict" }, typed }, keys)
    nvim:type(":Botglue accept 1<CR>", ":Botglue accept 1<CR>")
    equal(nvim:lines(1), expected, keys)
  end
end)
