--- Collects the tests of specs and runs them in order. A spec file returns nothing; it calls `test`.

local M = {}

-- How long any one condition may take before its test fails, in milliseconds. Long, because it costs nothing while all
-- is well and the machine may be busy.
M.DEADLINE = 20000

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
  if not (vim.wait(SOON, holds, 2) or vim.wait(M.DEADLINE, holds, 8)) then
    error(("within %d s it was not true that %s"):format(M.DEADLINE / 1000, name), 2)
  end
  return value
end

--- Waits until a function returns a value; fails with what it returned last.
---@param expected any
---@param get fun(): any
---@param what string?
function M.becomes(expected, get, what)
  local got
  local ok = pcall(M.eventually, "", function()
    got = get()
    return vim.deep_equal(got, expected)
  end)
  if not ok then
    M.equal(got, expected, what)
  end
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

local LONGEST_MS = 180000

--- Ends the run where a test hangs, as one does whose child waits for a key. The child ends with this process.
---@param name string
---@return uv.uv_timer_t
local function watch(name)
  local timer = assert(vim.uv.new_timer())
  timer:start(LONGEST_MS, 0, function()
    io.stdout:write(("FAILED %s\nit hangs\n"):format(name))
    io.stdout:flush()
    os.exit(1)
  end)
  return timer
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

--- Runs what was loaded; prints each failure.
---@param filters string[]
---@return Report
function M.run(filters)
  local report = { passed = 0, failed = 0 }
  for _, test in ipairs(tests) do
    if selected(test.name, filters) then
      local timer = watch(test.name)
      local ok, err = xpcall(test.fn, debug.traceback)
      timer:close()
      for i = #cleanups, 1, -1 do
        local clean, why = pcall(table.remove(cleanups, i))
        ok, err = ok and clean, err or why
      end
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
