--- The runner of the specs: collects tests, runs them in order, counts. A spec file returns nothing; it calls `test`.

local M = {}

local tests, spec = {}, nil

--- Adds a test of the spec that is being loaded.
---@param name string
---@param fn fun()
function M.test(name, fn)
  tests[#tests + 1] = { name = spec .. ": " .. name, fn = fn }
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
  if not vim.wait(5000, function()
    value = condition()
    return value
  end, 2) then
    error("within 5 s it was not true that " .. name, 2)
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

--- Ends the run when a test hangs: a call to a child that waits for a key never returns.
---@param name string
---@return fun() over
local function watch(name)
  local timer = assert(vim.uv.new_timer())
  timer:start(60000, 0, function()
    io.stdout:write(("FAILED %s\nit hangs\n"):format(name))
    io.stdout:flush()
    os.exit(1)
  end)
  return function()
    timer:close()
  end
end

--- Runs what was loaded; prints each failure, and the count alone on the last line.
---@param filters string[]
---@return boolean ok
function M.run(filters)
  local passed, failed = 0, 0
  for _, test in ipairs(tests) do
    if selected(test.name, filters) then
      local over = watch(test.name)
      local ok, err = xpcall(test.fn, debug.traceback)
      for i = #cleanups, 1, -1 do
        local clean, why = pcall(table.remove(cleanups, i))
        ok, err = ok and clean, err or why
      end
      over()
      if ok then
        passed = passed + 1
      else
        failed = failed + 1
        io.stdout:write(("FAILED %s\n%s\n"):format(test.name, err))
      end
    end
  end
  io.stdout:write(("%d passed, %d failed\n"):format(passed, failed))
  return failed == 0 and passed > 0
end

return M
