--- `:Botglue pick`: shows the rows of a list in the user's picker, by |vim.ui.select()|. A held answer is opened for
--- review; for any other row the user chooses an action next.

local actions = require("botglue.ui.list.actions")
local choose = require("botglue.jobs.choose")
local columns = require("botglue.ui.list.columns")
local errors = require("botglue.host.errors")
local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local api = vim.api
local WIDTH = 120 -- cells of a row; a picker cuts what it has no room for

--- The lists that can be picked from.
M.LISTS = { "jobs", "history", "held" }

--- The rows of a list.
---@param name string
---@param callback fun(rows: botglue.Table?, err: string?)
local function rows_of(name, callback)
  if name == "history" then
    require("botglue.ui.list.history").rows(callback)
    return
  end
  require("botglue.ui.list.jobs").rows(function(found, err)
    if found and name == "held" then
      found.rows = vim.tbl_filter(function(row)
        return choose.held(choose.job(row.job))
      end, found.rows)
    end
    callback(found, err)
  end)
end

--- The text of a row.
---@param row botglue.ListRow
---@param layout botglue.Layout
---@param running string the sign of a job that goes on
---@return string
local function text_of(row, layout, running)
  local cells = vim.list_extend({}, row.cells)
  if row.runs then
    cells[1] = { running, "" }
  end
  return vim.trim(text.of_chunks(columns.row(cells, layout)))
end

--- Does what is chosen: the only thing that is sensible, or what the user chooses next.
---@param name string
---@param row botglue.ListRow
---@param origin integer the window from which it was asked for
local function choose_action(name, row, origin)
  local from = { origin = origin, close = function() end }
  local function act(action)
    if action then
      errors.guard(actions.act, action, row, from)
    end
  end
  if name == "held" or #row.actions == 1 then
    act(row.actions[1])
    return
  end
  vim.ui.select(row.actions, {
    prompt = "botglue: what to do",
    kind = "botglue_action",
    format_item = actions.words,
  }, act)
end

--- Opens the user's picker.
---@param name string "jobs", "history" or "held"; "": jobs
function M.open(name)
  name = name == "" and "jobs" or name
  if not vim.list_contains(M.LISTS, name) then
    errors.fail("there is no list %s: pick from %s", name, table.concat(M.LISTS, ", "))
  end
  local origin, stayed = api.nvim_get_current_win(), require("botglue.editor.user_context").asked()
  rows_of(name, function(found, err)
    errors.guard(function()
      found = found or errors.fail("%s", err)
      if not stayed() then
        return
      elseif #found.rows == 0 then
        errors.fail(name == "held" and "no answer is held" or "there is no job")
      end
      local layout = columns.layout(found.columns, found.rows, math.min(vim.o.columns - 8, WIDTH), signs.cut)
      vim.ui.select(found.rows, {
        prompt = "botglue " .. name,
        kind = "botglue_job",
        format_item = function(row)
          return text_of(row, layout, signs.still)
        end,
      }, function(row)
        if row then
          choose_action(name, row, origin)
        end
      end)
    end)
  end)
end

return M
