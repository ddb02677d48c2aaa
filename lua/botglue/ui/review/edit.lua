--- Shows a held answer in a buffer of its own, `botglue://answer/ID`. `:w` there makes its text the answer. Typed text
--- is stored shortly after each key, and is there again after a crash.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")

local M = {}

local api = vim.api

local KEPT_AFTER = 250 -- milliseconds from a key to the store that has it

---@param id integer
---@return string
local function name(id)
  return ("botglue://answer/%d"):format(id)
end

---@param process botglue.Process?
---@param id integer
---@param lines string[]? none: nothing is typed
---@param is_saved boolean
local function tell(process, id, lines, is_saved)
  if process then
    process:notify("edit", { id = id, lines = lines, is_saved = is_saved })
  end
end

--- The lines that are typed in a buffer, and not saved.
---@param bufnr integer
---@return string[]?
local function typed(bufnr)
  local is_typed = api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].modified
  return is_typed and api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil
end

--- These lines are the answer from now on.
---@param id integer
---@param lines string[]
function M.save(id, lines)
  local edited = connection.edited[id] or {}
  connection.edited[id] = edited
  edited.saved = lines
  tell(client.connect(client.options()), id, lines, true)
end

--- A new host has started: tells it what the last one may not have read.
---@param process botglue.Process
function M.tell_all(process)
  for id, edited in pairs(connection.edited) do
    if edited.saved then
      tell(process, id, edited.saved, true)
    end
    local lines = edited.bufnr and typed(edited.bufnr)
    if lines then
      tell(process, id, lines, false)
    end
  end
end

--- Fills the buffer; undo does not go back before that.
---@param bufnr integer
---@param answer { lines: string[], typed: string[]? }
local function fill(bufnr, answer)
  local levels = vim.bo[bufnr].undolevels
  vim.bo[bufnr].undolevels = -1
  api.nvim_buf_set_lines(bufnr, 0, -1, false, answer.typed or answer.lines)
  vim.bo[bufnr].undolevels = levels
  vim.bo[bufnr].modified = answer.typed ~= nil
end

---@param job botglue.Job
---@param answer { lines: string[], typed: string[]? }
---@return integer bufnr
local function buffer(job, answer)
  local id = job.id
  local found = vim.fn.bufnr(("^%s$"):format(vim.fn.escape(name(id), "[]*?")))
  if found > 0 and api.nvim_buf_is_loaded(found) then
    return found
  end
  local bufnr = found > 0 and found or api.nvim_create_buf(false, false)
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buftype, vim.bo[bufnr].swapfile, vim.bo[bufnr].bufhidden = "acwrite", false, "hide"
  vim.bo[bufnr].modifiable = true
  pcall(api.nvim_buf_set_name, bufnr, name(id))
  fill(bufnr, answer)
  connection.edited[id] = vim.tbl_extend("force", connection.edited[id] or {}, { bufnr = bufnr })
  local source = job.range.bufnr
  if api.nvim_buf_is_loaded(source) then
    -- Its colours only: what else a file type brings, as a language server, is for files.
    vim.bo[bufnr].syntax = vim.bo[source].filetype
  end
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = bufnr,
    desc = "botglue: change the answer",
    callback = function()
      if not connection.edited[id] then
        require("botglue.host.notify").error(("botglue: job %d is not held any more"):format(id))
        return
      end
      vim.bo[bufnr].modified = false
      M.save(id, api.nvim_buf_get_lines(bufnr, 0, -1, false))
    end,
  })
  api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    buffer = bufnr,
    desc = "botglue: keep the answer as it is typed",
    callback = debounce(function()
      if api.nvim_buf_is_loaded(bufnr) and connection.edited[id] then
        tell(client.connect(client.options()), id, typed(bufnr), false)
      end
    end, KEPT_AFTER),
  })
  return bufnr
end

--- Opens the answer of a held job.
---@param job botglue.Job
---@param answer { lines: string[], typed: string[]?, title: string }
function M.open(job, answer)
  local bufnr = buffer(job, answer)
  local shown = vim.fn.win_findbuf(bufnr)[1]
  if shown then
    api.nvim_set_current_win(shown)
    return
  end
  vim.cmd.split()
  api.nvim_win_set_buf(0, bufnr)
  vim.wo[0][0].winbar = answer.title:gsub("%%", "%%%%") .. "%<"
end

return M
