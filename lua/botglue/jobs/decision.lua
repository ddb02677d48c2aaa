--- Sends the user's decisions on an answer: accept, reject, revert. The host carries one out or says why it cannot;
--- this module adds what only Neovim knows: buffers, and the lines that the user chose.

local ask = require("botglue.host.ask")
local capture = require("botglue.editor.capture")
local fail = require("botglue.host.errors").fail
local notify = require("botglue.host.notify")
local cache = require("botglue.jobs.cache")

local M = {}

local api = vim.api

--- Loads the buffer of an answer if that is possible, and has the host mirror it.
---@param job botglue.Job
---@return table place the id, and the state of the buffer if that is loaded
function M.place(job)
  local bufnr = job:load()
  if not bufnr then
    return { id = job.id }
  end
  capture.want(bufnr, job)
  local tick, bo = api.nvim_buf_get_changedtick(bufnr), vim.bo[bufnr]
  return { id = job.id, buffer = bufnr, tick = tick, filetype = bo.filetype, tabstop = bo.tabstop }
end

--- Sends a decision to the host and waits for the reply, but not until an answer can be written. Raises an error if
--- the decision is impossible; an error that comes later is shown.
---@param name "accept"|"reject"|"revert"
---@param id integer
---@param args table?
---@return table? result
function M.decide(name, id, args)
  local job = cache.job(id)
  args = vim.tbl_extend("error", M.place(job), args or {})
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
  -- If the host died meanwhile, the decision may have been carried out all the same.
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

--- Moves an answer whose place is lost to the buffer of the lines that the user chose for it.
---@param job botglue.Job
---@param first integer
---@param last integer
---@param bufnr integer
local function move(job, first, last, bufnr)
  if not job:is_held() then
    fail("job %d is not held", job.id)
  elseif first < 1 or last < first or last > api.nvim_buf_line_count(bufnr) then
    fail("the lines %s, %s are not in the buffer", tostring(first), tostring(last))
  elseif job.range:place() then
    fail("the place of job %d is known: accept it without a range", job.id)
  elseif job.range.bufnr ~= bufnr then
    job.range:move_to(bufnr)
  end
end

--- Accepts a held answer: the host merges it with the current text and writes it. Raises an error if it cannot.
---@param id integer
---@param opts botglue.AcceptOptions?
---@param shows boolean? whether to show a conflict that the user has not seen, instead of an error
---@return boolean is_to_show
function M.accept(id, opts, shows)
  local job = cache.job(id)
  opts = opts or {}
  if opts.range then
    move(job, opts.range[1], opts.range[2], opts.bufnr or api.nvim_get_current_buf())
  end
  local args = { hunk = opts.hunk, told = opts.tick, range = opts.range, shows = shows }
  return (M.decide("accept", id, args) or {}).show ~= nil
end

--- The hunks of a held answer, for a script.
---@param id integer
---@return botglue.Hunk[] hunks
---@return integer tick
function M.hunks(id)
  local place = M.place(cache.job(id))
  if not place.buffer then
    fail("the buffer of job %d is gone: see :Botglue edit %d", id, id)
  end
  local told = ask.open("hunks", place, { within = 2000, keeps_keys = true })
  return told.hunks, told.tick
end

return M
