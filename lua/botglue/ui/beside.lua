--- Windows of the host that belong to the range of a job: where they are put, and whether one
--- for an answer that has just come may open now.

local connection = require("botglue.host.connection")
local place = require("botglue.ui.place")
local capture = require("botglue.editor.capture")

local M = {}

local LEAST = 5 -- rows that there have to be beside the range

--- The place of a job's range on the screen; nil if it is not visible.
---@param id integer
---@return botglue.ScreenSpot?
local function spot(id)
  local range = connection.jobs[id] and connection.jobs[id].range
  local is_there = range and vim.api.nvim_buf_is_loaded(range.bufnr)
  return is_there and place.spot(range, vim.api.nvim_get_current_win()) or nil
end

--- Puts a window below the range, else above it; without room in the middle, and at most half as high as the screen.
---@param config vim.api.keyset.win_config as the host would have it, in the middle
---@param id integer
---@return vim.api.keyset.win_config
function M.place(config, id)
  local at, half = spot(id), math.floor(vim.o.lines / 2)
  local below, above = place.room(at, "below") - 2, place.room(at, "above") - 2
  if not at or math.max(below, above) < LEAST then
    local height = math.min(config.height, half)
    local row = config.row + math.floor((config.height - height) / 2)
    return vim.tbl_extend("force", config, { height = height, row = row })
  end
  local height = math.min(config.height, math.max(below, math.min(above, half)))
  local beside = place.config(at, height <= below and "below" or "above", config.width, height)
  return vim.tbl_extend("force", config, beside, { height = height })
end

--- How the window of an answer that has just come opens: the user goes there if they have not gone on since they
--- asked, else it opens where there is room for it, or not at all.
---@param opening table
---@return "enter"|"stay"|nil
function M.arrival(opening)
  local job, at = connection.jobs[opening.beside], spot(opening.beside)
  local is_shown = vim.iter(pairs(connection.views)):any(function(_, view)
    return view.opening.name == opening.name
  end)
  if not capture.is_idle() or is_shown then
    return nil
  elseif not (job and job.asked_from) or vim.deep_equal(job.asked_from, capture.whereabouts()) then
    return "enter"
  end
  local room = at and math.max(place.room(at, "below"), place.room(at, "above")) - 2
  return room and room >= LEAST and "stay" or nil
end

return M
