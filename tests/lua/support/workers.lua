--- Runs specs in processes of their own, several at once. What each prints is shown whole, in the order in which the
--- specs were started.

local M = {}

--- Makes a folder for the files of this run: in memory where the system has a place for that (Linux), since hundreds of
--- stores are written. Removes what runs that were killed have left there.
---@return string? path
local function make_folder()
  local memory = "/dev/shm"
  if not vim.uv.fs_access(memory, "W") then
    return nil
  end
  for name in vim.fs.dir(memory) do
    local pid = tonumber(name:match("^botglue%-specs%-(%d+)%-"))
    if pid and select(3, vim.uv.kill(pid, 0)) == "ESRCH" then
      vim.fn.delete(memory .. "/" .. name, "rf")
    end
  end
  return assert(vim.uv.fs_mkdtemp(("%s/botglue-specs-%d-XXXXXX"):format(memory, vim.uv.os_getpid())))
end

---@class Worker
---@field output vim.SystemCompleted? as soon as it has ended
---@field report string the path of its report
---@field folder string? of its files

--- Starts a worker. Its standard input is closed when this process ends, however it does: then it ends too.
---@param command string[]
---@param spec string
---@param filters string[]
---@param folder string?
---@return Worker
local function start(command, spec, filters, folder)
  local worker = { report = vim.fn.tempname(), folder = folder }
  if folder then
    vim.fn.mkdir(folder)
  end
  local arguments = vim.list_extend({ "--worker", spec, worker.report }, filters)
  vim.system(
    vim.list_extend(vim.deepcopy(command), arguments),
    { stdin = true, env = { TMPDIR = folder } },
    function(output)
      worker.output = output
    end
  )
  return worker
end

--- Prints what a worker has printed, and adds up what it reports.
---@param spec string
---@param worker Worker
---@param total Report
local function finish(spec, worker, total)
  io.stdout:write(worker.output.stdout, worker.output.stderr)
  local read, lines = pcall(vim.fn.readfile, worker.report)
  if read then
    local report = vim.json.decode(lines[1])
    total.passed, total.failed = total.passed + report.passed, total.failed + report.failed
    vim.list_extend(total.times, report.times)
  else
    total.failed = total.failed + 1
    io.stdout:write(
      ("FAILED %s: its process has ended too early, code %d, signal %d\n"):format(
        spec,
        worker.output.code,
        worker.output.signal
      )
    )
  end
  io.stdout:flush()
  vim.fn.delete(worker.report)
  if worker.folder then
    vim.fn.delete(worker.folder, "rf")
  end
end

--- Runs the selected tests of some specs.
---@param command string[] that runs one spec, with `--worker`, the spec, the path of the report and the filters
---@param specs string[]
---@param filters string[]
---@param at_once integer
---@return Report
function M.run(command, specs, filters, at_once)
  local folder, workers, shown = make_folder(), {}, 0
  local total = { passed = 0, failed = 0, times = {} }
  local function may_start()
    local running = vim.tbl_filter(function(worker)
      return not worker.output
    end, workers)
    return #workers < #specs and #running < at_once
  end
  while shown < #specs do
    while may_start() do
      local at = #workers + 1
      workers[at] = start(command, specs[at], filters, folder and ("%s/%d"):format(folder, at))
    end
    vim.wait(1000, function()
      return workers[shown + 1].output or may_start()
    end, 10)
    while workers[shown + 1] and workers[shown + 1].output do
      shown = shown + 1
      finish(specs[shown], workers[shown], total)
    end
  end
  if folder then
    vim.fn.delete(folder, "rf")
  end
  return total
end

return M
