--- Windows of the host that belong to the range of a job: where they are put, and whether one for an answer that has
--- just come may open now.

local capture = require("botglue.editor.capture")
local connection = require("botglue.host.connection")
local place = require("botglue.ui.place")

local M = {}

local LEAST = 5 -- rows that there have to be beside the range

--- Puts a window beside the range of a job, at most half as high as the screen.
---@param config vim.api.keyset.win_config as the host would have it
---@param id integer
---@return vim.api.keyset.win_config
---@return boolean is_beside
function M.place(config, id)
  local range = connection.jobs[id] and connection.jobs[id].range
  local is_there = range and vim.api.nvim_buf_is_loaded(range.bufnr)
  local spot = is_there and place.spot(range, vim.api.nvim_get_current_win()) or nil
  local height = math.min(config.height, math.floor(vim.o.lines / 2))
  local beside, side = place.beside(spot, config.width, height, LEAST)
  return vim.tbl_extend("force", config, beside), side ~= "over"
end

--- How the window of an answer that has just come opens: the user goes there if they have not gone on since they
--- asked, else it opens where there is room for it, or not at all.
---@param call table
---@return "enter"|"stay"|nil
function M.arrival(call)
  local opening = call.open
  local job = connection.jobs[opening.beside]
  local is_shown = vim.iter(pairs(connection.views)):any(function(_, view)
    return view.opening.name == opening.name
  end)
  if not capture.is_idle() or is_shown then
    return nil
  elseif not (job and job.asked_from) or vim.deep_equal(job.asked_from, capture.whereabouts()) then
    return "enter"
  end
  return select(2, M.place(call.config, opening.beside)) and "stay" or nil
end

return M
