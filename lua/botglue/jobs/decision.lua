--- The user's decisions on an answer: accept, reject, revert. The host takes them and says why one is impossible; this
--- module knows what only Neovim does: buffers, and which lines the user chose.

local ask = require("botglue.host.ask")
local capture = require("botglue.editor.capture")
local fail = require("botglue.host.errors").fail
local notify = require("botglue.host.notify")
local cache = require("botglue.jobs.cache")

local M = {}

local api = vim.api

--- Loads the buffer of an answer if that is possible, and has the host mirror it.
---@param job botglue.Job
---@param is_put boolean? the user chose the lines: the old place of the job is not needed
---@return table place the id, and the buffer where it is loaded
function M.place(job, is_put)
  local bufnr = job:load()
  if bufnr then
    capture.want(bufnr, not is_put and job or nil)
  end
  return { id = job.id, buffer = bufnr }
end

--- Sends a decision to the host and waits for its word, but not for a moment at which it can write. Raises an error if
--- the decision is impossible; one that turns out later to be so is shown.
---@param name "accept"|"reject"|"revert"
---@param id integer
---@param args table?
---@return table? result
function M.decide(name, id, args)
  local job = cache.job(id)
  args = vim.tbl_extend("error", M.place(job, args ~= nil and args.range ~= nil), args or {})
  local landing, before = job.facts.landing, job.deciding
  job.deciding = before or "asked"
  local result, err = ask.change(name, args, args.buffer, function(_, late)
    if late and job.deciding then
      notify.error("botglue: " .. late)
    end
    job.deciding = not late and job.deciding and "pending" or nil
  end)
  if err then
    job.deciding = before
  elseif job.deciding then
    job.deciding = (not result or result.is_pending) and "pending" or nil
  end
  -- Where the host has died over it, it may have been written.
  if err and job.facts.landing == landing then
    fail("%s", err)
  end
  return result
end

---@class botglue.AcceptOptions
---@field hunk integer? the index in `hunks()` of the hunk to take
---@field tick integer? the changedtick that `hunks()` returned
---@field range { [1]: integer, [2]: integer }? the lines that the answer replaces, from 1
---@field bufnr integer? the buffer of these lines; default: the current one

--- Accepts the answer at lines that the user chose.
---@param job botglue.Job
---@param opts botglue.AcceptOptions
local function accept_at(job, opts)
  local bufnr = opts.bufnr or api.nvim_get_current_buf()
  local first, last = unpack(opts.range)
  if not job:is_held() then
    fail("job %d is not held", job.id)
  elseif first < 1 or last < first or last > api.nvim_buf_line_count(bufnr) then
    fail("the lines %s, %s are not in the buffer", tostring(first), tostring(last))
  elseif job.range:place() then
    fail("the place of job %d is known: accept it without a range", job.id)
  elseif job.range.bufnr ~= bufnr then
    job.range:move_to(bufnr)
  end
  local tick = api.nvim_buf_get_changedtick(bufnr)
  M.decide("accept", job.id, { range = { first, last }, tick = tick })
end

--- Accepts a held answer: the host merges it with the current text and writes it. Raises an error if it cannot.
---@param id integer
---@param opts botglue.AcceptOptions?
---@param shows boolean? a conflict that the user has not seen is to be shown instead
---@return boolean? is_to_show
function M.accept(id, opts, shows)
  local job = cache.job(id)
  if opts and opts.range then
    return accept_at(job, opts)
  elseif opts and opts.hunk then
    local bufnr = job:load()
    local now = bufnr and api.nvim_buf_get_changedtick(bufnr)
    M.decide("accept", id, { hunk = opts.hunk, tick = opts.tick, now = now })
  else
    local result = M.decide("accept", id, { shows = shows })
    return result and result.show ~= nil
  end
end

--- What a held answer would change in its buffer, for a script.
---@param id integer
---@return botglue.Hunk[] hunks
---@return integer tick
function M.hunks(id)
  local place = M.place(cache.job(id))
  local bufnr = place.buffer or fail("the buffer of job %d is gone: see :Botglue edit %d", id, id)
  place.tick, place.tabstop = api.nvim_buf_get_changedtick(bufnr), vim.bo[bufnr].tabstop
  local told = ask.open("hunks", place, { within = 2000, keeps_keys = true })
  return told.hunks, told.tick
end

return M
