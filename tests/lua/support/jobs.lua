--- Children with jobs in the states that many specs begin with: held, landed, in a session, in the store.

local child = require("support.child")
local equal = require("support.suite").equal

local M = {}

M.ROWS = { "a", "fn one() {", "  1", "}", "e" }

--- A child with an answer for rows 2 to 4 of five that is held.
---@param answer string[]
---@param keys string? typed before it comes
---@param options table? other options of the job than that it is to be reviewed
---@return Child
function M.held(answer, keys, options)
  local nvim = child.with_job({ "a", "b", "c", "d", "e" }, child.line(2, 4), options or { review = true })
  nvim:type(keys or "")
  nvim:answer(1, answer)
  equal(nvim:job(1).landing, "held")
  return nvim
end

--- A child in which an answer landed.
---@param lines string[]
---@param range table
---@param answer string[]
---@return Child
function M.landed(lines, range, answer)
  local nvim = child.with_job(lines, range)
  nvim:answer(1, answer)
  equal(nvim:job(1).landing, "applied")
  return nvim
end

--- A child in which job 1 has written rows 2 to 4, in session `s1` of Claude.
---@param options table? of the plugin
---@param before fun(nvim: Child)? called before there is a host
---@return Child
function M.in_session(options, before)
  local nvim = child.with_host(M.ROWS)
  if before then
    before(nvim)
  end
  nvim:lua("require('botglue').setup(...)", options or vim.empty_dict())
  nvim:run(child.line(2, 4), { agent = "claude", model = "haiku" })
  nvim:answer(1, { "fn two() {", "  2", "}" }, { session_id = "s1", model = "full" })
  return nvim
end

---@param nvim Child
---@param what "accept"|"reject"|"revert"
---@param id integer?
function M.decide(nvim, what, id)
  nvim:lua("local what, id = ...; require('botglue')[what](id)", what, id or 1)
end

---@param nvim Child
---@param id integer?
---@return string
function M.landing(nvim, id)
  return nvim:job(id or 1).landing
end

--- Runs a command, and returns what was said so far.
---@param nvim Child
---@param command string
---@return string
function M.said(nvim, command)
  nvim:type((":Botglue %s<CR>"):format(command))
  return nvim:messages()
end

--- A child with the store of so many jobs on a file of six lines: `jobs`, newest first, on `path`. A host that is gone
--- has left them in its journal, which the next one takes up.
---@param count integer
---@param more table<string, table>? fields of single jobs, by their number, as `support.journal` takes them
---@return Child
function M.stored(count, more)
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
function M.open_history(nvim)
  nvim:type(":Botglue history<CR>")
  nvim:eventually("the jobs are there", "return vim.fn.getline(1):find('[:%d]') ~= nil")
end

return M
