--- Runs specs in processes of their own, several at once. What each prints is shown whole, as soon as it has ended.

local M = {}

--- Runs the selected tests of some specs.
---@param command string[] that runs one spec, with `--worker`, the spec, the path of the report and the filters
---@param specs string[]
---@param filters string[]
---@param at_once integer
---@return Report
function M.run(command, specs, filters, at_once)
  local total = { passed = 0, failed = 0, times = {} }
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
      vim.list_extend(total.times, report.times)
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

return M
