--- Finished jobs of the store, including those of earlier sessions: where their text is now, and what is needed to go
--- on from them. The host finds a place by its text, beyond doubt or not at all.

local attach = require("botglue.host.attach")
local errors = require("botglue.host.errors")
local query = require("botglue.host.query")
local range = require("botglue.editor.range")

local fail = errors.fail

local M = {}

--- Asks for all of a job, its texts too; an error in `fn`, or of the store, is told.
---@param uuid string
---@param fn fun(full: botglue.FullEntry)
function M.whole(uuid, fn)
  query.ask("job", { uuid = uuid }, function(result, err)
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
  return require("botglue.editor.load").file(entry.path) or fail("%s is not there any more", entry.path)
end

--- Rows as what the host can look for.
---@param rows string[]?
---@param first_line integer?
---@return table
function M.lines(rows, first_line)
  rows = rows or {}
  local cols = vim.tbl_map(function()
    return 0
  end, rows)
  return {
    kind = "line",
    first_line = first_line or 1,
    rows = rows,
    text = rows,
    cols = cols,
    beside = vim.empty_dict(),
  }
end

---@class botglue.Spot
---@field bufnr integer
---@field first integer from 1
---@field last integer
---@field what "answer"|"text"|nil whose text is there; nil: neither was found, and these are its last known lines
---@field place botglue.DisplayMark? where that is

--- Finds where a job is now: by its answer, where that landed, else by what was sent. An error in `fn` is told.
---@param full botglue.FullEntry
---@param fn fun(spot: botglue.Spot)
function M.find(full, fn)
  local bufnr = M.load(full)
  local sent = vim.tbl_extend("keep", {
    beside = full.selection.beside or { above = full.selection.anchor },
  }, full.selection)
  local texts = { M.lines(full.landed_rows, full.landed_first), sent }
  attach.find(bufnr, texts, function(places, err)
    places = places or fail("%s", err)
    local spot = { bufnr = bufnr, first = full.landed_first or full.first_line, last = full.last_line }
    for i, what in ipairs({ "answer", "text" }) do
      local place = places[i]
      if place.kind and not spot.place then
        local first, last = require("botglue.editor.extent").lines(place, place.kind)
        spot.first, spot.last, spot.what, spot.place = first, last, what, place
      end
    end
    fn(spot)
  end)
end

--- Finds the place of a job for another one.
---@param full botglue.FullEntry
---@param fn fun(target: botglue.Range)
function M.target(full, fn)
  M.find(full, function(spot)
    if not spot.place then
      fail("select the lines and start a new job: the place of this one is not known")
    end
    fn(range.at(spot.bufnr, spot.place, spot.place.kind, full.selection.column))
  end)
end

return M
