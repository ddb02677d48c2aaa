-- Runs the specs: nvim --clean --headless -l tests/lua/run.lua [part of a spec's or a test's name …]
-- BOTGLUE_TEST_WORKERS=1 runs one spec at a time, not two.
-- BOTGLUE_TEST_FAST=1 leaves out the slow specs.
-- The Neovims that specs start are BOTGLUE_TEST_NVIM, else the one that runs this.

local script = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p")
local here = vim.fs.dirname(script)
local root = vim.fs.dirname(vim.fs.dirname(here))
vim.opt.runtimepath:prepend(root)
package.path = ("%s/?.lua;%s"):format(here, package.path)

local suite = require("support.suite")

-- They play long series of edits, wait for clocks, or draw the screen again and again.
local SLOW_SPECS = {
  "client",
  "colours",
  "decide",
  "held",
  "live",
  "live_tools",
  "merge",
  "moment",
  "redo",
  "revert",
  "review",
  "selection",
  "write_keeps",
}

---@param name string
local function load(name)
  suite.load(name, ("%s/%s_spec.lua"):format(here, name))
end

--- Runs the tests of one spec, and writes its report.
---@param spec string
---@param report string
---@param filters string[]
local function work(spec, report, filters)
  -- It is closed when the process that has started this one is gone.
  local stdin = assert(vim.uv.new_pipe())
  stdin:open(0)
  stdin:read_start(function(_, data)
    if not data then
      os.exit(1)
    end
  end)
  load(spec)
  vim.fn.writefile({ vim.json.encode(suite.run(filters)) }, report)
end

--- Runs the selected tests of some specs.
---@param command string[] that runs one spec, with `--worker`, the spec, the path of the report and the filters
---@param specs string[]
---@param filters string[]
---@param at_once integer
---@return Report
local function run_at_once(command, specs, filters, at_once)
  local total = { passed = 0, failed = 0 }
  local waiting, running = vim.deepcopy(specs), {}
  local function start(spec)
    local report = vim.fn.tempname()
    local arguments = vim.list_extend({ "--worker", spec, report }, filters)
    -- Its standard input is closed when this process ends, however it does: then it ends too.
    local process = vim.system(vim.list_extend(vim.deepcopy(command), arguments), { stdin = true })
    table.insert(running, { spec = spec, report = report, process = process })
  end
  local function finish(worker)
    local output = worker.process:wait()
    io.stdout:write(output.stdout, output.stderr)
    local read, lines = pcall(vim.fn.readfile, worker.report)
    if read then
      local report = vim.json.decode(lines[1])
      total.passed, total.failed = total.passed + report.passed, total.failed + report.failed
    else
      total.failed = total.failed + 1
      io.stdout:write(
        ("FAILED %s: its process has ended too early, code %d\n"):format(worker.spec, output.code)
      )
    end
    io.stdout:flush()
  end
  while #waiting + #running > 0 do
    while #waiting > 0 and #running < at_once do
      start(table.remove(waiting, 1))
    end
    local ended
    vim.wait(1000, function()
      for at, worker in ipairs(running) do
        ended = ended or (worker.process:is_closing() and at)
      end
      return ended
    end, 10)
    if ended then
      finish(table.remove(running, ended))
    end
  end
  return total
end

--- Runs the tests of all specs.
---@param filters string[]
---@return boolean ok
local function run(filters)
  for name, kind in vim.fs.dir(here) do
    if kind == "file" and name:match("_spec%.lua$") then
      load((name:gsub("_spec%.lua$", "")))
    end
  end
  local command = { require("support.child").program(), "--clean", "--headless", "-l", script }
  local at_once = tonumber(vim.env.BOTGLUE_TEST_WORKERS or 2)
  local specs = suite.specs(filters)
  if vim.env.BOTGLUE_TEST_FAST then
    specs = vim.tbl_filter(function(spec)
      return not vim.list_contains(SLOW_SPECS, spec)
    end, specs)
  end
  local total = run_at_once(command, specs, filters, at_once)
  io.stdout:write(("%d passed, %d failed\n"):format(total.passed, total.failed))
  return total.failed == 0 and total.passed > 0
end

if _G.arg[1] == "--worker" then
  -- At its end Neovim waits until all that it has started is gone; `os.exit` would leave what does not end by itself.
  work(_G.arg[2], _G.arg[3], vim.list_slice(_G.arg, 4))
else
  os.exit(run(_G.arg) and 0 or 1)
end
