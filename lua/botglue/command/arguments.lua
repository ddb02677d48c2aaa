--- Checks the arguments of API functions. The first wrong field raises one error that names it.

local option = require("botglue.options")
local fail = require("botglue.host.errors").fail
local selection = require("botglue.editor.selection")

local M = {}

local api = vim.api
local must = option.must

---@param bufnr any
---@return integer
local function buffer(bufnr)
  local ok, is_there = pcall(api.nvim_buf_is_valid, bufnr or 0)
  if not ok or not is_there then
    fail("bufnr must be an existing buffer, got %s", vim.inspect(bufnr))
  end
  bufnr = (bufnr or 0) == 0 and api.nvim_get_current_buf() or bufnr
  -- An autocommand of the user may fail at this; only a buffer that is not loaded is an error here.
  local _, err = pcall(vim.fn.bufload, bufnr)
  if not api.nvim_buf_is_loaded(bufnr) then
    fail("buffer %d cannot be loaded: %s", bufnr, vim.split(tostring(err), "\n")[1])
  end
  return bufnr
end

---@param range table
---@param bufnr integer
local function check_range(range, bufnr)
  local kind, most = range.kind, api.nvim_buf_line_count(bufnr)
  must(kind, { "string", choices = { "line", "char", "block", "insert" } }, "range.kind")
  local least = kind == "insert" and 0 or 1
  local line = ("a line of the buffer (%d to %d)"):format(least, most)
  for _, name in ipairs(kind == "insert" and { "first" } or { "first", "last" }) do
    local at, field = range[name], "range." .. name
    must(at, { "table", as = "{ line, col }" }, field)
    must(at[1], { "number", as = line, least = least, most = most }, field .. "[1]")
    if kind == "char" or kind == "block" then
      must(at[2], { "number", as = "a byte column from 0", least = 0 }, field .. "[2]")
    end
  end
end

local RUN = {
  prompt = { "string" },
  bufnr = { "any" },
  range = { "table" },
  agent = { "string" },
  model = option.MODEL,
  review = { "boolean" },
}

--- Checks the fields of an options table.
---@param opts any
---@param rules botglue.Rules
local function check(opts, rules)
  must(opts, { "table" }, "opts")
  local unknown = {}
  option.read(opts, rules, "", "", unknown)
  if #unknown > 0 then
    fail("opts has no field %s", unknown[1])
  end
end

--- Checks the options of `run()`.
---@param opts any
---@param options botglue.Options
---@return botglue.Request request
---@return fun(): botglue.Selection select takes the selection; ends visual mode if it comes from there
function M.check(opts, options)
  opts = opts == nil and {} or opts
  check(opts, RUN)
  if opts.prompt then
    must(opts.prompt, option.WORDS, "prompt")
  end
  if opts.agent then
    option.agent(options, opts.agent, "agent")
  end
  local bufnr, range = buffer(opts.bufnr), opts.range
  if range ~= nil then
    check_range(range, bufnr)
  end
  local request = { prompt = opts.prompt, agent = opts.agent, model = opts.model, review = opts.review }
  return request,
    function()
      if range then
        return selection.from_spec(bufnr, range)
      end
      local current = bufnr == api.nvim_get_current_buf() and selection.take_visual()
      -- Below the cursor's line, as it is or as it was when the buffer was last shown.
      return current or selection.insertion(bufnr, math.max(vim.fn.getbufinfo(bufnr)[1].lnum, 1))
    end
end

local function are_numbers(values)
  return type(values[1]) == "number" and type(values[2]) == "number"
end
local ACCEPT = {
  range = { "table", as = "a list like { 3, 5 }", fits = are_numbers },
  hunk = { "number", as = "the number of a hunk in hunks()" },
  tick = { "number", as = "the tick that hunks() gave" },
  bufnr = { "number", as = "the number of a loaded buffer", fits = api.nvim_buf_is_loaded },
}

--- Checks the options of `accept()`.
---@param opts any
function M.check_accept(opts)
  check(opts == nil and {} or opts, ACCEPT)
end

return M
