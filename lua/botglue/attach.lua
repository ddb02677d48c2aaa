--- Tells the host of the buffers whose text it mirrors: that one is wanted, and how it is where no event says so. The
--- host attaches to them by itself; nothing here follows their text.

local client = require("botglue.client")

local M = {}

local api = vim.api

--- Whether a buffer has a text that answers can be written to. A terminal changes all the time.
---@param bufnr integer
---@return boolean
local function has_text(bufnr)
  if not api.nvim_buf_is_loaded(bufnr) then
    return false
  end
  local kind = vim.bo[bufnr].buftype
  return vim.bo[bufnr].modifiable and kind ~= "terminal" and kind ~= "prompt"
end

---@class botglue.DisplayMark: botglue.Extent
---@field id integer of the job
---@field kind "line"|"char"|"block"|"insert"

--- Where the ranges of jobs are in a buffer, as far as their marks tell.
---@param bufnr integer
---@return botglue.DisplayMark[]
local function marks(bufnr)
  local found = {}
  for id, job in pairs(client.connection().jobs) do
    local place = job.range.bufnr == bufnr and job.range:place()
    if place then
      found[#found + 1] = vim.tbl_extend("force", place, { id = id, kind = job.range.shape })
    end
  end
  return found
end

--- Tells the host how a buffer is now. It comes between the events of its text, at the place where it was said.
---@param bufnr integer
---@param more table
local function tell(bufnr, more)
  local process = client.connection().process
  if not process then
    return
  end
  local rows = api.nvim_buf_line_count(bufnr)
  process:notify(
    "buffer",
    vim.tbl_extend("force", {
      buffer = bufnr,
      name = api.nvim_buf_get_name(bufnr),
      tick = api.nvim_buf_get_changedtick(bufnr),
      rows = rows,
      bytes = math.max(api.nvim_buf_get_offset(bufnr, rows), 0),
    }, more)
  )
end

--- How a buffer is, with the places of its jobs; for the host, once it has attached.
---@param bufnr integer
function M.report(bufnr)
  tell(bufnr, { marks = marks(bufnr) })
end

--- From now on the host mirrors a buffer. Nothing lands by a mirror yet, so there is one only where
--- `vim.g.botglue_mirror` is set, as the tests of the mirror set it.
---@param bufnr integer
function M.want(bufnr)
  if not vim.g.botglue_mirror or not has_text(bufnr) then
    return
  end
  local group = api.nvim_create_augroup("botglue.attach", { clear = false })
  api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  api.nvim_create_autocmd({ "BufReadPost", "BufEnter", "BufFilePost", "BufWritePost", "BufUnload" }, {
    group = group,
    buffer = bufnr,
    desc = "botglue: the host mirrors the text",
    callback = function(event)
      tell(bufnr, event.event == "BufUnload" and { rows = 0 } or {})
    end,
  })
  M.report(bufnr)
end

return M
