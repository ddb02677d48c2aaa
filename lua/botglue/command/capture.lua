--- From where a command is given, as the host needs it: the cursor, the project, and where the jobs are.

local connection = require("botglue.host.connection")

local api = vim.api

---@return table
return function()
  local bufnr, cursor, review = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0), connection.review
  local today = os.date("*t") --[[@as { year: integer, month: integer, day: integer }]]
  return {
    buffer = bufnr,
    line = cursor[1],
    column = cursor[2],
    cwd = vim.fn.getcwd(),
    home = vim.uv.os_homedir() or "",
    path = require("botglue.editor.capture").path(bufnr),
    project = require("botglue.editor.capture").project(bufnr),
    earlier = connection.earlier,
    today_ms = os.time({ year = today.year, month = today.month, day = today.day, hour = 0 }) * 1000,
    jobs = require("botglue.jobs.places")(),
    review = review and review.job.id,
    shows_review = review and review.bufnr == bufnr,
    view = connection.shown[bufnr] and connection.shown[bufnr].id,
    is_cmdwin = vim.fn.getcmdwintype() ~= "",
  }
end
