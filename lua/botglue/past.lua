--- Finished jobs of the store, of whichever Neovim: where their text stands now, and what is needed to go on from them.
--- A place is found by its text, beyond doubt or not at all.

local errors = require("botglue.errors")
local find = require("botglue.find")
local query = require("botglue.query")

local fail = errors.fail

local M = {}

--- Asks for all of a job, its texts too; an error in `fn`, or of the store, is told.
---@param entry botglue.Entry
---@param fn fun(full: botglue.FullEntry)
function M.whole(entry, fn)
  query.ask("job", { uuid = entry.uuid }, function(result, err)
    errors.guard(function()
      local full = (result or fail("%s", err)).job
      fn(full or fail("this job is not in the store any more"))
    end)
  end)
end

---@param entry botglue.Entry
---@return integer bufnr its buffer, read if need be
function M.load(entry)
  if entry.path == "" then
    fail("it was in a buffer without a file, which is gone")
  end
  return require("botglue.adopt").load(entry.path) or fail("%s is not there any more", entry.path)
end

--- Where rows stand: at a line, else in the only place where they do, if they say enough to be known by.
---@param bufnr integer
---@param rows string[]?
---@param line integer? from 1
---@return integer? first from 1
local function stands(bufnr, rows, line)
  local first = rows and find.again(bufnr, rows, (line or 0) - 1)
  return first and first + 1
end

---@class botglue.Spot
---@field bufnr integer
---@field first integer from 1
---@field last integer
---@field what "answer"|"text"|nil whose text stands there; nil: it was not found, and these are its last known lines

--- Where a job is now: by its answer, where that landed, else by what was sent.
---@param full botglue.FullEntry
---@return botglue.Spot
function M.spot(full)
  local bufnr, selection = M.load(full), full.selection
  local landed = full.landed_rows
  local first = stands(bufnr, landed, full.landed_first)
  if first then
    return { bufnr = bufnr, first = first, last = first + #landed - 1, what = "answer" }
  end
  local rows = selection.kind == "insert" and { selection.anchor } or selection.rows
  first = stands(bufnr, rows, selection.first_line)
  if first then
    return { bufnr = bufnr, first = first, last = first + #rows - 1, what = "text" }
  end
  return { bufnr = bufnr, first = full.landed_first or full.first_line, last = full.last_line }
end

--- The place of a job for another one.
---@param full botglue.FullEntry
---@return botglue.Range
function M.target(full)
  local spot = M.spot(full)
  local range, selection = require("botglue.range"), full.selection
  if spot.what == "answer" then
    return range.pin(require("botglue.selection").lines(spot.bufnr, spot.first, spot.last))
  end
  local target = range.recall(spot.bufnr, selection)
  if not target:home() then
    fail("the place of this job is not known: select the lines and start a new job")
  end
  return target
end

return M
