--- Checks what `run()` was given. The first wrong field raises one error that names it.

local config = require("botglue.config")
local errors = require("botglue.host.errors")
local selection = require("botglue.editor.selection")

local M = {}

local api = vim.api
local wrong = config.wrong

local function is_whole(value, least, most)
  return type(value) == "number" and value % 1 == 0 and value >= least and value <= most
end

---@param bufnr any
---@return integer
local function buffer(bufnr)
  if bufnr == nil or bufnr == 0 then
    return api.nvim_get_current_buf()
  elseif not is_whole(bufnr, 1, 2 ^ 31 - 1) or not api.nvim_buf_is_valid(bufnr) then
    wrong("bufnr", "a buffer that is there", bufnr)
  end
  if not api.nvim_buf_is_loaded(bufnr) then
    -- An autocommand that fails on reading is its owner's affair, as long as there is text.
    local _, err = pcall(vim.fn.bufload, bufnr)
    if not api.nvim_buf_is_loaded(bufnr) then
      wrong("bufnr", "a buffer that can be loaded (" .. vim.split(tostring(err), "\n")[1] .. ")", bufnr)
    end
  end
  return bufnr
end

---@param at any
---@param field string
---@param bufnr integer
---@param least integer the smallest line
---@param needs_col boolean
local function check_position(at, field, bufnr, least, needs_col)
  if type(at) ~= "table" then
    wrong(field, "{ line, col }", at)
  end
  local count = api.nvim_buf_line_count(bufnr)
  if not is_whole(at[1], least, count) then
    wrong(field .. "[1]", ("a line of the buffer (%d to %d)"):format(least, count), at[1])
  end
  if needs_col and not is_whole(at[2], 0, vim.v.maxcol) then
    wrong(field .. "[2]", "a byte column from 0", at[2])
  end
end

local KINDS = { line = true, char = true, block = true, insert = true }

---@param range any
---@param bufnr integer
local function check_range(range, bufnr)
  if type(range) ~= "table" then
    wrong("range", "a table", range)
  elseif not KINDS[range.kind] then
    wrong("range.kind", '"line", "char", "block" or "insert"', range.kind)
  end
  local needs_col = range.kind == "char" or range.kind == "block"
  check_position(range.first, "range.first", bufnr, range.kind == "insert" and 0 or 1, needs_col)
  if range.kind ~= "insert" then
    check_position(range.last, "range.last", bufnr, 1, needs_col)
  end
end

--- The line that the cursor is on in a buffer, or was when it was last shown.
---@param bufnr integer
---@return integer
local function cursor_line(bufnr)
  if bufnr == api.nvim_get_current_buf() then
    return api.nvim_win_get_cursor(0)[1]
  end
  return math.max(vim.fn.getbufinfo(bufnr)[1].lnum, 1)
end

---@param bufnr integer
---@param range botglue.RangeSpec?
---@return botglue.Selection
local function select(bufnr, range)
  if range then
    return selection.from_spec(bufnr, range)
  end
  local current = bufnr == api.nvim_get_current_buf() and selection.take_visual()
  return current or selection.insertion(bufnr, cursor_line(bufnr))
end

local FIELDS = {
  prompt = { "string" },
  bufnr = { "any" },
  range = { "any" },
  agent = { "string" },
  model = config.MODEL,
  review = { "boolean" },
}

---@class botglue.Given
---@field request botglue.Request
---@field selection fun(): botglue.Selection takes the selection; ends visual mode where it comes from there

---@param opts any
---@param options botglue.Options
---@return botglue.Given
function M.check(opts, options)
  opts = opts == nil and {} or opts
  config.must(opts, { "table" }, "opts")
  for field, value in pairs(opts) do
    local what = FIELDS[field] or error(("botglue: there is no field %s"):format(tostring(field)), 0)
    config.must(value, what, field)
  end
  if opts.prompt then
    config.must(opts.prompt, config.WORDS, "prompt")
  end
  if opts.agent then
    config.agent(options, opts.agent, "agent")
  end
  local bufnr = buffer(opts.bufnr)
  if opts.range ~= nil then
    check_range(opts.range, bufnr)
  end
  return {
    request = { prompt = opts.prompt, agent = opts.agent, model = opts.model, review = opts.review },
    selection = function()
      return select(bufnr, opts.range)
    end,
  }
end

--- Checks what `accept()` is given.
---@param opts any
function M.check_accept(opts)
  if opts == nil then
    return
  elseif type(opts) ~= "table" then
    error("botglue.accept: opts must be a table, not " .. errors.inspect(opts), 0)
  end
  local range, bufnr = opts.range, opts.bufnr
  if opts.hunk ~= nil and not (is_whole(opts.hunk, 1, 2 ^ 31) and type(opts.tick) == "number") then
    error(
      "botglue.accept: hunk and tick must be numbers, as those of hunks(), not " .. errors.inspect(opts),
      0
    )
  end
  local is_range = type(range) == "table" and type(range[1]) == "number" and type(range[2]) == "number"
  if range ~= nil and not is_range then
    error("botglue.accept: range must be a list like { 3, 5 }, not " .. errors.inspect(range), 0)
  elseif bufnr ~= nil and not (type(bufnr) == "number" and vim.api.nvim_buf_is_loaded(bufnr)) then
    error("botglue.accept: bufnr must be the number of a loaded buffer, not " .. errors.inspect(bufnr), 0)
  end
end

return M
