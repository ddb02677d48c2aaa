--- The line that says at a range what became of its job, in whatever mode the user is.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A child where the lines of ended jobs stay for so many seconds.
local function with_outcome(lines, seconds)
  local nvim = child.with_host(lines)
  nvim:lua("require('botglue').setup({ notify = 'none', status = { outcome = ... } })", seconds)
  return nvim
end

---@param nvim Child
local function shows_nothing(nvim)
  suite.eventually("nothing is drawn", function()
    return nvim:drawn() == 0
  end)
end

test("that an answer has landed is seen in Insert mode, with its rows for a moment", function()
  local nvim = with_outcome({ "a", "b", "c" }, 0.5)
  nvim:run(line(2, 2))
  nvim:type("GA typed")
  nvim:lua("_G.flashed = {}; vim.api.nvim_set_hl(0, 'BotglueFlash', { reverse = true })")
  nvim:lua([[
    local set = vim.api.nvim_buf_set_extmark
    vim.api.nvim_buf_set_extmark = function(bufnr, ns, row, col, opts)
      if opts.hl_group == "BotglueFlash" then
        flashed[row] = opts.end_row -- as often as its place is told
      end
      return set(bufnr, ns, row, col, opts)
    end
  ]])
  nvim:answer(1, { "B" })
  nvim:type("<Esc>i") -- an answer waits for this
  nvim:shows("✓ it · landed · ")
  equal(nvim:api("get_mode").mode, "i")
  equal(nvim:lua("return vim.tbl_count(flashed) == 1 and flashed[1]"), 2)
  shows_nothing(nvim)
end)

test("a failure stays until the cursor has been there", function()
  local nvim = with_outcome({ "a", "b", "c", "d" }, 0.2)
  nvim:run(line(1, 1))
  nvim:type("G")
  nvim:agent(1, "refuse", 401, "Please run /login")
  nvim:shows("✗ it · not logged in: run `claude`")
  nvim:ticks(4)
  nvim:shows("✗ it · not logged in: run `claude`")
  nvim:type("gg")
  shows_nothing(nvim)
end)

test("of many on one row there are three lines and how many more", function()
  local nvim = with_outcome({ "a", "b" }, 60)
  for id = 1, 5 do
    nvim:run(line(1), { prompt = "p" .. id })
  end
  for id = 1, 5 do
    nvim:answer(id, { "a" })
  end
  nvim:shows("\n2 more\nb\n")
  equal(nvim:screen():gsub(" ·[^\n]*", ""):match("^(.-)\nb"), "a\n= p5\n= p4\n= p3\n2 more")
end)

test("of an answer that is undone nothing says that it has landed", function()
  for _, range in ipairs({ line(2, 2), { kind = "insert", first = { 2 } } }) do
    local nvim = with_outcome({ "a", "b", "c" }, 60)
    nvim:run(range)
    nvim:answer(1, { "B" })
    nvim:shows("✓ it · landed · ")
    nvim:type("u")
    nvim:eventually("it is gone", "return vim.fn.line('$') == 3")
    shows_nothing(nvim)
    nvim:type("<C-r>")
    nvim:shows("✓ it · landed · ")
  end
end)
