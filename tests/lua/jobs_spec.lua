local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- Six lines in a named buffer; on each of the first ones a job.
---@param count integer
---@param options table?
local function start(count, options)
  local nvim = child.with_host({ "one", "two", "three", "four", "five", "six" })
  nvim:lua("require('botglue').setup(...)", options or vim.empty_dict())
  nvim:api("buf_set_name", 0, "/project/src/config.rs")
  for i = 1, count do
    nvim:run(child.line(i), { prompt = "prompt " .. i })
  end
  return nvim
end

local function open(nvim)
  nvim:type(":Botglue jobs<CR>")
  nvim:eventually("the list is open", "return vim.fn.bufname() == 'botglue://jobs'")
end

test("it follows the jobs, and its cursor stays on one", function()
  local nvim = start(2)
  open(nvim)
  suite.eventually("a sign turns in the row of the one that runs", function()
    return nvim:screen():find("│ [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]+  1  …t/src")
  end)
  nvim:type("j")
  equal(nvim:api("win_get_cursor", 0)[1], 2)
  nvim:agent(1, "say", "one")
  nvim:eventually("it is drawn", "return vim.fn.getline(2):find('writing') ~= nil")
  nvim:run(child.line(1), { prompt = "a\nthird\27[31m", bufnr = 1 })
  nvim:eventually("it is in the list", "return #vim.fn.getline(1, '$') == 3")
  equal(nvim:api("win_get_cursor", 0)[1], 3)
  contains(nvim:lines()[1], "a third [31m")
  nvim:answer(1, { "ONE" })
  nvim:eventually("it has landed", "return vim.fn.getline(3):find('landed') ~= nil")
  contains(nvim:screen(), "2 running")
end)

test("<CR> jumps to the range as it is now, in the window one came from", function()
  local nvim = start(2)
  nvim:type(":split<CR>ggOzero<Esc>")
  local win = nvim:lua("return vim.api.nvim_get_current_win()")
  nvim:type(":enew!<CR>")
  open(nvim)
  nvim:type("j<CR>")
  local at = nvim:lua("return { vim.api.nvim_get_current_win(), vim.fn.bufname('%'), vim.fn.getline('.') }")
  equal(at, { win, "/project/src/config.rs", "one" })
  equal(#nvim:api("list_wins"), 2)
  nvim:type("<C-o>")
  equal(nvim:lua("return vim.fn.bufname('%')"), "")
end)

test("<CR> leaves a window without a file as it is, where there is another", function()
  local nvim = start(2)
  local win = nvim:lua("return vim.api.nvim_get_current_win()")
  for _, keys in ipairs({ ":vnew<CR>:copen<CR>", "<C-w>o:enew | set buftype=nofile<CR>" }) do
    nvim:type(keys)
    open(nvim)
    nvim:type("j<CR>")
    equal(nvim:lua("return { vim.api.nvim_get_current_win(), vim.fn.getline('.') }"), { win, "one" }, keys)
  end
end)

test("the keys of an empty list do no harm", function()
  local nvim = child.with_host({ "one" })
  open(nvim)
  nvim:type("<CR>")
  contains(nvim:messages(), "botglue: there is no job")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
  nvim:type(":Botglue jobs 3<CR>")
  contains(nvim:messages(), "botglue: jobs takes no argument")
end)

test("r opens a held answer, and says where there is none", function()
  local nvim = start(2)
  nvim:answer(1, { "1" }, { held_for = "ambiguous" })
  open(nvim)
  nvim:type("r")
  contains(nvim:messages(), "botglue: job 2 is not held")
  nvim:type("jr")
  nvim:shows("job 1: 2 blocks")
end)
