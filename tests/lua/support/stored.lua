--- A store with finished jobs in it, and the history that shows them.

local child = require("support.child")

local M = {}

--- A child with the real host and the store of so many jobs on a file of six lines: `jobs`, newest first, on `path`.
--- A host that is gone has left them in its journal, which the next one takes up.
---@param count integer
---@param more table<string, table>? fields of single jobs, by their number, as `support.journal` takes them
---@return Child
function M.with_jobs(count, more)
  local nvim = child.with_host({ "start" })
  nvim:lua(
    [[
      local count, more = ...
      _G.path = vim.fn.tempname() .. ".rs"
      vim.fn.writefile({ "local one = 1", "local two = 2", "local three = 3", "local four = 4", "", "end" }, path)
      _G.start, _G.jobs, _G.now = vim.api.nvim_get_current_buf(), {}, os.time() * 1000
      for i = 1, count do
        jobs[i] = vim.tbl_extend("force", {
          uuid = "uuid-" .. i,
          session_id = "session-" .. i,
          project = vim.fs.dirname(path),
          path = path,
          filetype = "rust",
          first_line = 2,
          rows = { "local two = 2", "local three = 3" },
          prompt = "prompt " .. i,
          landing = "applied",
          started_ms = now - i * 1000 - 7000,
          ended_ms = now - i * 1000,
          cost_usd = 0.02,
          lines = { "local TWO = 2", "local THREE = 3" },
        }, more[tostring(i)] or {})
      end
      require("support.journal").write(jobs)
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

return M
