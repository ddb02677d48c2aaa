--- A store with finished jobs in it, and the history that shows them.

local child = require("support.child")

local M = {}

--- A child with the real host and the real store of so many jobs that have landed, as below.
---@param count integer
---@return Child
function M.with_real_jobs(count)
  local nvim = child.with_host({ "start" })
  local path = nvim:lua([[
    _G.path = vim.fn.tempname() .. ".rs"
    vim.fn.writefile({ "local one = 1", "local two = 2", "local three = 3", "local four = 4", "", "end" }, path)
    return path
  ]])
  local jobs = {}
  for i = 1, count do
    jobs[count - i + 1] = {
      session_id = "session-" .. i,
      project = vim.fs.dirname(path),
      path = path,
      filetype = "rust",
      first_line = 2,
      rows = { "local two = 2", "local three = 3" },
      cols = { 0, 0 },
      prompt = "prompt " .. i,
      lines = { "local TWO = 2", "local THREE = 3" },
      cost_usd = 0.02,
    }
  end
  nvim:host("earlier", unpack(jobs))
  return nvim
end

--- A child with a scripted store of so many jobs on a file of six lines: `jobs`, newest first, on `path`; where
--- `broken` is set the history cannot be read.
---@param count integer
---@param more table<string, table>? fields of single jobs, by their number
---@return Child
function M.with_jobs(count, more)
  local nvim = child.with_scripted_host({ "start" })
  nvim:lua(
    [[
      local count, more = ...
      _G.path = vim.fn.tempname() .. ".rs"
      vim.fn.writefile({ "local one = 1", "local two = 2", "local three = 3", "local four = 4", "", "end" }, path)
      _G.jobs, _G.now = {}, os.time() * 1000
      for i = 1, count do
        jobs[i] = vim.tbl_extend("force", {
          uuid = "uuid-" .. i,
          agent = "claude",
          model = "opus",
          session_id = "session-" .. i,
          project = vim.fs.dirname(path),
          path = path,
          filetype = "rust",
          kind = "line",
          first_line = 2,
          last_line = 3,
          prompt = "prompt " .. i,
          status = "done",
          landing = "applied",
          started_ms = now - i * 1000 - 7000,
          ended_ms = now - i * 1000,
          cost_usd = 0.02,
          has_answer = true,
          text = "local TWO = 2\nlocal THREE = 3",
          lines = { "local TWO = 2", "local THREE = 3" },
          selection = {
            kind = "line",
            first_line = 2,
            last_line = 3,
            text = { "local two = 2", "local three = 3" },
            rows = { "local two = 2", "local three = 3" },
            cols = { 0, 0 },
          },
        }, more[tostring(i)] or {})
      end
      local function of(uuid)
        for i, job in ipairs(jobs) do
          if job.uuid == uuid then
            return i, job
          end
        end
      end
      require("support.host").replies = {
        history = function(args)
          if broken then
            return { error = broken }
          end
          local found, from = {}, args.before and of(args.before.uuid) + 1 or 1
          for i = from, #jobs do
            if not args.text or jobs[i].prompt:find(args.text, 1, true) then
              found[#found + 1] = jobs[i]
            end
          end
          return { jobs = vim.list_slice(found, 1, args.limit), more = #found > args.limit }
        end,
        job = function(args)
          local _, job = of(args.uuid)
          return { job = job }
        end,
        again = function(args)
          local _, job = of(args.uuid)
          return { job = vim.tbl_extend("force", job, { landing = "held", held_for = "review", id = args.id }) }
        end,
        writers = { jobs = {} },
      }
    ]],
    count,
    more or vim.empty_dict()
  )
  return nvim
end

--- Opens the history, and waits for its jobs.
---@param nvim Child
function M.open(nvim)
  nvim:type(":Botglue history<CR>")
  nvim:eventually("the jobs are there", "return vim.fn.getline(1):find('[:%d]') ~= nil")
end

--- The rows of the history, with one blank for many and no times in them.
---@param nvim Child
---@return string[]
function M.shown(nvim)
  return vim.tbl_map(function(row)
    return vim.trim((row:gsub("%s+", " "):gsub("%d%d:%d%d", "HH:MM"):gsub("%S+%.rs", "x.rs")))
  end, nvim:lua("return vim.fn.getline(1, '$')"))
end

--- What the store was asked, in that order.
---@param nvim Child
---@return table[]
function M.asked(nvim)
  return nvim:host("received", "query")
end

return M
