--- `:Botglue info`: the number of jobs, their outcomes and their cost: of this session, this project, today, 30 days,
--- all time; and by model and by agent. The store makes the sums.

local choose = require("botglue.jobs.choose")
local columns = require("botglue.ui.list.columns")
local signs = require("botglue.util.signs")
local view = require("botglue.ui.list.view")

local M = {}

local WIDTH = 77

--- The job whose session is shown: the one at the cursor, else the newest of this Neovim.
---@return { agent: string?, session_id: string? }
local function job_shown()
  local jobs = choose.all(function(job)
    return job.session_id ~= nil
  end)
  return choose.at_cursor(jobs) or jobs[#jobs] or {}
end

--- When today began.
---@return integer milliseconds
local function midnight()
  local now = os.date("*t") --[[@as { year: integer, month: integer, day: integer }]]
  return os.time({ year = now.year, month = now.month, day = now.day, hour = 0 }) * 1000
end

--- The rows of tables one below the other, each with a head over its columns.
---@param tables botglue.Table[]
---@param room integer
---@return botglue.Chunks[]
local function rows_of(tables, room)
  local rows = {}
  for i, part in ipairs(tables) do
    local layout = columns.layout(part.columns, part.rows, math.min(room, WIDTH - 2), signs.cut)
    rows[#rows + 1] = i > 1 and {} or nil
    rows[#rows + 1] = columns.head(layout)
    for _, row in ipairs(part.rows) do
      rows[#rows + 1] = columns.row(row.cells, layout)
    end
  end
  return rows
end

--- Opens the window; the sums come a moment later.
function M.open()
  require("botglue.host.errors").no_window_in_cmdwin()
  local project = require("botglue.editor.context").project(vim.api.nvim_get_current_buf())
  local tables, float
  local job = job_shown()
  local asked = { project = project, agent = job.agent, session_id = job.session_id, today_ms = midnight() }
  view.ask("info", asked, function(result, err)
    if not float:is_open() then
      return
    elseif not result then
      float:close()
      require("botglue.host.notify").error("botglue: " .. err)
      return
    end
    tables = result.tables
    local rows = rows_of(tables, float.width - 2)
    float:resize(WIDTH, #rows)
    float:note(result.note)
    float:draw(rows)
  end)
  float = require("botglue.ui.float").open({
    name = "info",
    width = WIDTH,
    height = 6,
    title = { left = "what it cost", right = vim.fn.fnamemodify(project, ":t") },
    note = "",
    keys = {},
    on_resize = function(self)
      if tables then
        self:draw(rows_of(tables, self.width - 2))
      end
    end,
  })
end

return M
