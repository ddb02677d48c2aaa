--- A job as a row of the history: what became of it, when, where, the prompt, and what it cost. Draws nothing.

local act = require("botglue.ui.act")
local amounts = require("botglue.ui.amounts")
local columns = require("botglue.ui.columns")

local M = {}

local width_of = vim.api.nvim_strwidth

---@class botglue.Layout
---@field columns botglue.Column[]
---@field gap integer cells between two of them

--- When a job ended, as short as it can be said.
---@param ms integer
---@return string
local function moment(ms)
  local s = math.floor(ms / 1000)
  if os.date("%F", s) == os.date("%F") then
    return os.date("%H:%M", s) --[[@as string]]
  end
  local recent = os.time() - s < 300 * 86400
  local day = os.date(recent and "%d %b" or "%b %Y", s) --[[@as string]]
  return (day:gsub("^0", ""))
end

---@param entry botglue.Entry
---@return string
local function place(entry)
  return ("%s:%d"):format(require("botglue.ui.name").of(entry.path), math.max(entry.first_line, 1))
end

---@param entry botglue.Entry
---@return botglue.Cell sign
---@return botglue.Cell words
local function state(entry, signs)
  if entry.status == "interrupted" then
    return { signs.failed, "BotglueFailure" }, { "interrupted", "BotglueFailure" }
  elseif entry.status == "failed" then
    return { signs.failed, "BotglueFailure" }, { entry.error.message, "BotglueFailure", wide = true }
  end
  return act.landing(entry.landing or "not landed", entry.held_for, signs)
end

--- How wide the columns are: as the jobs that are there need it.
---@param entries botglue.Entry[]
---@param room integer cells
---@return botglue.Layout
function M.layout(entries, room)
  local times, places, gap = 5, 8, room < 60 and 1 or 2
  for _, entry in ipairs(entries) do
    times = math.max(times, width_of(moment(entry.ended_ms)))
    places = math.max(places, width_of(place(entry)))
  end
  local wanted = {
    { width = 1 },
    { width = times, right = true, drop = 3 },
    { width = math.min(places, math.floor(room * 0.25)), drop = 2, keep_end = true },
    { width = 14, rest = true },
    { width = math.max(math.floor(room * 0.2), 10) },
    { width = 6, right = true, drop = 1 },
  }
  return { columns = columns.fit(wanted, room, gap), gap = gap }
end

---@param entry botglue.Entry
---@param layout botglue.Layout
---@param signs table of `signs`
---@return botglue.Chunks
function M.of(entry, layout, signs)
  local sign, words = state(entry, signs)
  return columns.row({
    sign,
    { moment(entry.ended_ms), "BotglueLabel" },
    { place(entry) },
    { entry.prompt },
    words,
    { entry.cost_usd and amounts.money(entry.cost_usd, "") or "", "BotglueLabel" },
  }, layout.columns, layout.gap, signs.cut)
end

return M
