--- Collects the tests of specs and runs them in order. A spec file returns nothing; it calls `test`.

local M = {}

local DEADLINE = require("support.deadline")
local SOON = 30 -- milliseconds

local tests, spec = {}, nil

--- Adds a test of the spec that is being loaded.
---@param name string
---@param fn fun()
function M.test(name, fn)
  tests[#tests + 1] = { spec = spec, name = spec .. ": " .. name, fn = fn }
end

---@param name string
---@param path string
function M.load(name, path)
  spec = name
  dofile(path)
end

--- Fails unless two values are equal all the way down.
function M.equal(got, expected, what)
  if not vim.deep_equal(got, expected) then
    error(
      ("%s\n  expected %s\n  got      %s"):format(
        what or "not equal",
        vim.inspect(expected),
        vim.inspect(got)
      ),
      2
    )
  end
end

--- Fails unless `text` holds `part`.
function M.contains(text, part)
  if not tostring(text):find(part, 1, true) then
    error(("%s\n  does not hold %s"):format(tostring(text), part), 2)
  end
end

--- Fails unless the function raises an error; returns it.
---@param fn fun()
---@return string
function M.raises(fn)
  local ok, err = pcall(fn)
  if ok then
    error("no error was raised", 2)
  end
  return tostring(err)
end

--- Waits until a condition holds; fails with its name after a deadline.
---@generic T
---@param name string
---@param condition fun(): T
---@return T
function M.eventually(name, condition)
  local value
  local function holds()
    value = condition()
    return value
  end
  -- Most conditions hold soon; each poll of another one costs the time of a call to the child.
  if not (vim.wait(SOON, holds, 2) or vim.wait(DEADLINE, holds, 8)) then
    error(("within %d s it was not true that %s"):format(DEADLINE / 1000, name), 2)
  end
  return value
end

local cleanups = {}

--- Calls a function when the running test is over, however it ends.
---@param fn fun()
function M.finally(fn)
  cleanups[#cleanups + 1] = fn
end

---@param name string
---@param filters string[]
local function selected(name, filters)
  for _, filter in ipairs(filters) do
    if name:find(filter, 1, true) then
      return true
    end
  end
  return #filters == 0
end

--- The children of the running test: a child in which a call waits for a key never replies.
---@type { pid: integer, address: string, under_way: (fun(): integer?), messages: fun(): string }[]
local children = {}

--- Watches the calls to a child of the running test.
---@param pid integer
---@param address string the socket at which it can be asked while a call is under way
---@param under_way fun(): integer? the number of the call to it that has not returned
---@param messages fun(): string what it has shown
function M.watch_child(pid, address, under_way, messages)
  children[#children + 1] = { pid = pid, address = address, under_way = under_way, messages = messages }
end

--- Ends this process and the children of the running test at once.
function M.give_up()
  for _, child in ipairs(children) do
    vim.uv.kill(child.pid, "sigkill")
  end
  os.exit(1)
end

--- Presses a key in a child that waits for one. This runs in a callback of a timer, where only the socket is allowed.
---@param child table
local function unblock(child)
  local pipe = assert(vim.uv.new_pipe())
  pipe:connect(child.address, function(failure)
    if failure then
      return pipe:close()
    end
    pipe:write(vim.mpack.encode({ 0, 1, "nvim_get_mode", {} }))
    pipe:read_start(function(_, data)
      local reply = data and vim.mpack.decode(data)[4]
      -- Where it reads a command line within the call, as `input()` does, it is not blocking.
      local key = reply and (reply.blocking and "<CR>" or reply.mode:match("^c") and "<Esc>")
      if not key then
        return pipe:close()
      end
      child.waited_in = reply.mode
      pipe:read_stop()
      pipe:write(vim.mpack.encode({ 2, "nvim_input", { key } }), function()
        pipe:close()
      end)
    end)
  end)
end

local CHECK_MS, CHECKS = 10000, 18

--- Looks after a test that hangs: a child that waits for a key gets one, and the test fails; other hangs end the run.
---@param name string
---@return fun(): string? over tells which key a child has waited for
local function watch(name)
  local timer, checks, seen = assert(vim.uv.new_timer()), 0, {}
  timer:start(CHECK_MS, CHECK_MS, function()
    checks = checks + 1
    if checks == CHECKS then
      io.stdout:write(("FAILED %s\nit hangs\n"):format(name))
      io.stdout:flush()
      M.give_up()
    end
    for _, child in ipairs(children) do
      local call = child.under_way()
      if call and call == seen[child] then
        unblock(child)
      end
      seen[child] = call
    end
  end)
  return function()
    timer:close()
    local waited
    for _, child in ipairs(children) do
      if child.waited_in then
        local _, messages = pcall(child.messages)
        waited = ("a call waited for a key, in mode %s; these are the messages of the child:\n%s\n"):format(
          child.waited_in,
          messages
        )
      end
    end
    children = {}
    return waited
  end
end

--- The specs that have selected tests, those with the most first.
---@param filters string[]
---@return string[]
function M.specs(filters)
  local counts = {}
  for _, test in ipairs(tests) do
    if selected(test.name, filters) then
      counts[test.spec] = (counts[test.spec] or 0) + 1
    end
  end
  local names = vim.tbl_keys(counts)
  table.sort(names, function(a, b)
    return counts[a] > counts[b] or counts[a] == counts[b] and a < b
  end)
  return names
end

---@class Report
---@field passed integer
---@field failed integer
---@field times { name: string, ms: number }[]

--- Runs what was loaded; prints each failure.
---@param filters string[]
---@return Report
function M.run(filters)
  local report = { passed = 0, failed = 0, times = {} }
  for _, test in ipairs(tests) do
    if selected(test.name, filters) then
      local over, start = watch(test.name), vim.uv.hrtime()
      local ok, err = xpcall(test.fn, debug.traceback)
      local waited = over()
      if waited then
        ok, err = false, waited .. (err or "")
      end
      for i = #cleanups, 1, -1 do
        local clean, why = pcall(table.remove(cleanups, i))
        ok, err = ok and clean, err or why
      end
      table.insert(report.times, { name = test.name, ms = (vim.uv.hrtime() - start) / 1e6 })
      if ok then
        report.passed = report.passed + 1
      else
        report.failed = report.failed + 1
        io.stdout:write(("FAILED %s\n%s\n"):format(test.name, err))
      end
    end
  end
  return report
end

return M
