--- Asks the host for the rows of a list: given jobs, a page of the history, or sums.

local M = {}

---@alias botglue.Cell { [1]: string, [2]: string } a text and its highlight group, "" for none

---@class botglue.ListRow as `src/view` makes it
---@field id string what it is known by
---@field cells botglue.Cell[] one for each column
---@field detail string? shown whole where the cursor is
---@field job integer? the number of a job of this Neovim
---@field ended_ms integer?
---@field path string?
---@field line integer?
---@field runs boolean its first cell shows that the job goes on
---@field actions string[] what can be done with it, what is most likely wanted first

---@class botglue.Column as `src/view` makes it
---@field head string
---@field least integer cells
---@field most integer? percent of the room
---@field share integer? percent of the room
---@field rest boolean takes what the others leave
---@field drop integer? the smaller, the sooner it is left out
---@field right boolean its cells are at its right edge
---@field keep_end boolean of a cell that is too wide the end is kept

---@class botglue.Table
---@field columns botglue.Column[]
---@field rows botglue.ListRow[]

--- Asks. The reply has a `table`, or `tables`, and what else the list shows.
---@param name "jobs"|"history"|"job"|"info"
---@param args table
---@param callback fun(result: table?, err: string?)
function M.ask(name, args, callback)
  local viewer = {
    cwd = vim.fn.getcwd(),
    home = vim.uv.os_homedir() or "",
  }
  require("botglue.host.query").ask(name, vim.tbl_extend("error", { viewer = viewer }, args), callback)
end

return M
