local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local LONG = ("a reason that goes on, "):rep(20)

local function with_jobs(count)
  local nvim = child.with_host({ "a", "b", "c", "d" })
  for i = 1, count do
    nvim:run(child.line(i))
  end
  return nvim
end

-- Keeps what the host says became of jobs from the plugin, until all of it is given in one tick.
local HOLD = [[
  local apply = require("botglue.apply")
  local jobs = apply.jobs
  _G.held = {}
  function apply.jobs(patches)
    vim.list_extend(held, patches)
  end
  function _G.release()
    apply.jobs = jobs
    jobs(held)
  end
]]

--- Lets the service refuse jobs, of all of which the plugin is told in one tick.
---@param ids integer[]
---@param ... string why, of each of them; the last one is why the others are refused too
---@return string message why the last one failed
local function fail(nvim, ids, ...)
  local reasons = { ... }
  nvim:lua(HOLD)
  for i, id in ipairs(ids) do
    nvim:agent(id, "refuse", 400, reasons[i] or reasons[#reasons])
    nvim:eventually(
      "the host tells of it",
      [[
        local id = ...
        return vim.iter(held):any(function(patch)
          return patch.id == id and patch.set and patch.set.status == "failed"
        end)
      ]],
      id
    )
  end
  nvim:lua("release()")
  nvim:settle()
  return nvim:job(ids[#ids]).error.message
end

test("a long reason is cut on the screen and whole in the messages, with no prompt", function()
  local nvim = with_jobs(1)
  local message = fail(nvim, { 1 }, LONG)
  equal(nvim:api("get_mode"), { mode = "n", blocking = false })
  contains(message, vim.trim(LONG))
  contains(nvim:messages(), message)
  contains(nvim:screen(), "botglue: job 1 failed: claude reports an error: API Error: 400")
end)

test("in Insert mode a reason is seen until the next key, whatever is drawn meanwhile", function()
  for _, reason in ipairs({ LONG, "no" }) do
    for _, keys in ipairs({ "A", ":Botglue run<CR>a" }) do
      local nvim = with_jobs(1)
      nvim:type(keys)
      fail(nvim, { 1 }, reason)
      nvim:lua("vim.cmd('redrawstatus!')")
      contains(nvim:screen(), "botglue: job 1 failed: claude reports")
      nvim:type("b")
      equal(nvim:lua("return { vim.o.showmode, vim.fn.mode() }"), { true, "i" })
    end
  end
end)

test("without a command line a long reason takes no key, and is in the messages", function()
  for _, reason in ipairs({ LONG, "/" .. ("語path/"):rep(60), "it fits" }) do
    for keys, mode in pairs({ [""] = "n", ["A "] = "i", [":Botglue run<CR>a"] = "i" }) do
      local nvim = with_jobs(2)
      nvim:api("ui_try_resize", 120, 24)
      nvim:type(":set cmdheight=0 shortmess-=T<CR>" .. keys)
      fail(nvim, { 1, 2 }, reason .. " 1", reason .. " 2")
      equal(nvim:api("get_mode"), { mode = mode, blocking = false }, reason)
      local row = nvim:api("get_current_line")
      nvim:type((mode == "n" and "A" or "") .. "b c")
      equal(nvim:api("get_current_line"), row .. "b c", reason)
      local messages = nvim:messages():gsub("%s", "")
      for id = 1, 2 do
        contains(messages, (("job %d failed: %s"):format(id, nvim:job(id).error.message):gsub("%s", "")))
      end
    end
  end
end)

test("where the screen is gone no reason takes a key", function()
  local nvim = with_jobs(2)
  nvim:api("ui_detach")
  fail(nvim, { 1, 2 }, LONG:rep(9) .. "1", LONG .. "2")
  equal(nvim:api("get_mode"), { mode = "n", blocking = false })
end)

test("where ruler and 'showcmd' leave no cell for a line, none takes a key", function()
  local nvim = with_jobs(1)
  nvim:api("ui_try_resize", 28, 10)
  nvim:type(":set cmdheight=0 laststatus=0 ruler showcmd<CR>A b")
  equal(nvim:lua("return vim.v.echospace"), 0)
  fail(nvim, { 1 }, LONG)
  nvim:type(" c")
  equal(nvim:api("get_mode"), { mode = "i", blocking = false })
  equal(nvim:lines()[1], "a b c")
end)

test("in a window that floats nothing is hidden by the ruler", function()
  local nvim = with_jobs(2)
  nvim:api("ui_try_resize", 120, 24)
  nvim:type(":Botglue jobs<CR>")
  for id, why in ipairs({ LONG, "it would fit" }) do
    local message = fail(nvim, { id }, why)
    nvim:type("k")
    local rows = vim.split(nvim:screen(), "\n")
    local said, ruler = rows[#rows]:match("^(.-…) +(%d+,%d+)")
    contains(said or rows[#rows], ("botglue: job %d failed: claude reports"):format(id))
    equal(ruler ~= nil, true)
    contains(nvim:messages(), message)
  end
  equal(#("botglue: job 2 failed: " .. nvim:job(2).error.message) < 120, true)
end)

test("jobs that say the same say it in one line", function()
  local nvim = with_jobs(3)
  local message = fail(nvim, { 1, 2, 3 }, "busy")
  local _, count = nvim:messages():gsub(vim.pesc("botglue: jobs 1, 2, 3 failed: " .. message), "")
  equal(count, 1)
end)

test("jobs that say different things do not ask for Enter", function()
  local nvim = with_jobs(3)
  fail(nvim, { 1 }, LONG)
  nvim:lua("vim.schedule(function() end)")
  fail(nvim, { 2 }, "two")
  fail(nvim, { 3 }, "three")
  equal(nvim:api("get_mode"), { mode = "n", blocking = false })
  contains(
    nvim:messages(),
    "job 2 failed: claude reports an error: API Error: 400 two; try again, or see :Botglue log"
  )
end)

test("a command line that is being typed is not written over", function()
  local nvim = with_jobs(1)
  nvim:type(":echo 12")
  fail(nvim, { 1 }, "no")
  contains(nvim:screen(), ":echo 12")
  equal(nvim:messages():find("failed"), nil)
  nvim:type("<Esc>")
  nvim:eventually("it is said afterwards", "return vim.fn.execute('messages'):find('job 1 failed: ')")
end)

test("a user's own vim.notify gets the whole line", function()
  local nvim = with_jobs(1)
  nvim:lua("_G.said = {}; vim.notify = function(...) said[#said + 1] = { ... } end")
  local message = fail(nvim, { 1 }, LONG)
  local said = nvim:lua("return said")
  equal(said, { { "botglue: job 1 failed: " .. message, vim.log.levels.ERROR, { title = "botglue" } } })
end)

test("a vim.notify that only wraps Neovim's own does not ask for Enter either", function()
  local nvim = with_jobs(1)
  nvim:lua([[
    _G.said = {}
    local notify = vim.notify
    vim.notify = function(message, ...)
      said[#said + 1] = message
      return notify(message, ...)
    end
  ]])
  local message = fail(nvim, { 1 }, LONG)
  equal(nvim:api("get_mode"), { mode = "n", blocking = false })
  equal(nvim:lua("return said"), { "botglue: job 1 failed: " .. message })
  contains(nvim:messages(), message)
end)
