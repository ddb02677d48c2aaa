--- Asks the host where in a buffer the text of a stored job is.

local attach = require("botglue.host.attach")
local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local query = require("botglue.host.query")

local M = {}

local api = vim.api

local TRIES = 3 -- attempts to get places that match the current changedtick

---@class botglue.FoundJob: botglue.Earlier a job of the store
---@field line integer? of `place`: its first line, from 1
---@field column integer? of `place`: the screen column at which its block begins

---@class botglue.Found what the host has found in a buffer
---@field job botglue.FoundJob?
---@field what "answer"|"text"|nil of `place`: whose text is there
---@field line integer? from 1
---@field place botglue.DisplayMark?

--- Asks once more where the text has changed until the reply. An error in `fn` is shown to the user.
---@param name "wrote"|"place"
---@param bufnr integer
---@param args fun(): table what is asked, of the text as it is now
---@param fn fun(found: botglue.Found?, err: string?) what is there in the text as it is then
---@param tries integer?
function M.ask(name, bufnr, args, fn, tries)
  client.connect(client.options())
  attach.want(bufnr)
  local tick = api.nvim_buf_get_changedtick(bufnr)
  local asked = vim.tbl_extend("error", args(), { buffer = bufnr })
  query.ask(name, asked, function(result, err)
    local is_loaded = api.nvim_buf_is_loaded(bufnr)
    if result and is_loaded and result.tick == tick and tick == api.nvim_buf_get_changedtick(bufnr) then
      errors.guard(fn, result)
    elseif result and is_loaded and (tries or 1) < TRIES then
      M.ask(name, bufnr, args, fn, (tries or 1) + 1)
    else
      errors.guard(fn, nil, err or "try again: the text changed during the search")
    end
  end)
end

return M
