--- From where a command is given, as the host needs it: the cursor, the project, and where the jobs are.

local connection = require("botglue.host.connection")

local api = vim.api

--- When today began.
---@return integer milliseconds
local function midnight()
  local now = os.date("*t") --[[@as { year: integer, month: integer, day: integer }]]
  return os.time({ year = now.year, month = now.month, day = now.day, hour = 0 }) * 1000
end

---@return table
return function()
  local bufnr, cursor, review = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0), connection.review
  return {
    buffer = bufnr,
    line = cursor[1],
    column = cursor[2],
    cwd = vim.fn.getcwd(),
    home = vim.uv.os_homedir() or "",
    path = require("botglue.util.buffer_path")(bufnr),
    project = require("botglue.editor.capture").project(bufnr),
    earlier = connection.earlier,
    today_ms = midnight(),
    jobs = require("botglue.jobs.places")(),
    review = review and review.job.id,
    shows_review = review and review.bufnr == bufnr,
    view = connection.shown[bufnr] and connection.shown[bufnr].id,
    is_cmdwin = vim.fn.getcmdwintype() ~= "",
  }
end
