-- Where the prompt's window is: beside the rows of its range, within the screen, whatever the windows are like.

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

local function start()
  return child.with_host(child.numbered(60))
end

--- The first and last of its rows and columns on the screen, from 0, border included.
local function box(nvim)
  return nvim:lua([[
    vim.cmd.redraw()
    local at = vim.api.nvim_win_get_position(0)
    return {
      rows = { at[1], at[1] + vim.api.nvim_win_get_height(0) + 1 },
      cols = { at[2], at[2] + vim.api.nvim_win_get_width(0) + 1 },
    }
  ]])
end

local function open(nvim, command)
  nvim:type((":%sBotglue<CR>"):format(command))
  return box(nvim)
end

test("below the range where there is room, else above it, else over its end", function()
  for range, rows in pairs({ ["2,4"] = { 4, 8 }, ["18,20"] = { 12, 16 }, ["1,60"] = { 17, 21 } }) do
    equal(open(start(), range), { rows = rows, cols = { 0, 75 } }, range)
  end
  local nvim = start()
  nvim:type("30Gzt")
  equal(open(nvim, "10,33").rows, { 4, 8 }, "beside what is seen of it")
end)

test("above it, it grows upwards", function()
  local nvim = start()
  open(nvim, "18,20")
  nvim:type("1<CR>2<CR>3<CR>4<CR>5")
  equal(box(nvim).rows, { 10, 16 })
  nvim:type("<Esc>ggdG")
  equal(box(nvim).rows, { 12, 16 })
end)

test("it grows with its text, to a height, and never over the range", function()
  local nvim = start()
  open(nvim, "3,4")
  nvim:type(("word "):rep(40))
  equal(box(nvim).rows, { 4, 8 })
  nvim:type("<CR>x<CR>y")
  equal(box(nvim).rows, { 4, 10 })
  nvim:type(("<CR>z"):rep(20))
  equal(box(nvim).rows, { 4, 15 })
  nvim:type("<Esc>q")
  equal(open(nvim, "10,12").rows, { 12, 16 })
  nvim:type(("<CR>z"):rep(20))
  equal(box(nvim).rows, { 12, 21 }, "to the end of the screen")
end)

test("below wrapped lines and closed folds as they are on the screen", function()
  local nvim = start()
  nvim:lua("vim.fn.setline(2, ('long '):rep(40))")
  equal(open(nvim, "2").rows, { 4, 8 })
  nvim:type("<Esc><Esc>:4,13fold<CR>")
  equal(open(nvim, "4,13").rows, { 6, 10 })
  nvim:type("<Esc><Esc>")
  equal(open(nvim, "14").rows, { 7, 11 })
end)

test("within the screen, for a window at its right and a screen that is small", function()
  local nvim = start()
  nvim:lua("vim.o.splitright = true; vim.cmd.vsplit()")
  equal(open(nvim, "2"), { rows = { 2, 6 }, cols = { 4, 79 } })
  nvim:type("<Esc><Esc>")
  nvim:api("ui_try_resize", 40, 12)
  equal(open(nvim, "2"), { rows = { 2, 6 }, cols = { 0, 39 } })
  nvim:type("words")
  nvim:api("ui_try_resize", 100, 30)
  nvim:eventually("it is wide again", "return vim.api.nvim_win_get_width(0) == 74")
  equal(box(nvim).rows, { 2, 6 })
  nvim:api("ui_try_resize", 20, 6)
  nvim:eventually("it is narrow", "return vim.api.nvim_win_get_width(0) == 18")
  local small = box(nvim)
  assert(small.rows[1] >= 0 and small.rows[2] <= 5, vim.inspect(small))
  nvim:type("<C-s>")
  equal(nvim:host("received", "run")[1].prompt, "words")
end)

test("it follows a range that moves, and stays where the range was seen last", function()
  local nvim = start()
  open(nvim, "3")
  nvim:lua("vim.api.nvim_buf_set_lines(1, 0, 0, false, { 'a', 'b' })")
  nvim:type("x")
  equal(box(nvim).rows, { 5, 9 })
  nvim:lua("vim.api.nvim_win_call(1000, function() vim.cmd('normal! 50Gzt') end)")
  nvim:type("x")
  equal(box(nvim).rows, { 5, 9 })
end)

test("in the middle, for a range that is nowhere to be seen", function()
  local nvim = start()
  nvim:lua([[
    local other = vim.api.nvim_create_buf(true, false)
    vim.api.nvim_buf_set_lines(other, 0, -1, false, { "one", "two" })
    require("botglue").run({ bufnr = other, range = { kind = "line", first = { 1 }, last = { 2 } } })
  ]])
  equal(box(nvim), { rows = { 8, 12 }, cols = { 2, 77 } })
end)
