--- Tells the host of the buffers whose text it mirrors: that one is wanted, and how it is where no event says so. The
--- host attaches to them by itself; nothing here follows their text.

local client = require("botglue.client")

local M = {}

local api = vim.api
local GROUP = "botglue.attach"

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
---@field has_ended boolean whether the job has ended, and its answer is not held
---@field sent table? in the shape of a request: what was sent or landed, where the host does not have the request

--- Where the range of a job is, as far as its marks tell.
---@param job botglue.Job
---@return botglue.DisplayMark? mark nil where they tell nothing
local function mark(job)
  local range = job.range
  local place = range:place()
  if not place then
    return nil
  end
  local sent
  if job.process ~= client.connection().process then
    local text = range:expected()
    sent = {
      id = job.id,
      buffer = range.bufnr,
      selection = {
        kind = range.shape,
        first_line = place.first + 1,
        text = text.text,
        rows = text.rows,
        cols = text.cols,
        beside = vim.tbl_extend("error", vim.empty_dict(), { above = text.above, below = text.below }),
      },
    }
  end
  local is_held = job.landing == "held"
  local more = { id = job.id, kind = range.shape, has_ended = not job:is_open() and not is_held, sent = sent }
  return vim.tbl_extend("force", place, more)
end

--- The jobs whose ranges may be in a buffer.
---@param bufnr integer
---@return Iter
local function jobs_in(bufnr)
  local connection = client.connection()
  local all = vim.list_slice(connection.kept[bufnr] or {})
  for _, jobs in ipairs({ connection.open, connection.held }) do
    vim.list_extend(all, vim.tbl_values(jobs))
  end
  return vim.iter(all):filter(function(job)
    return job.range.bufnr == bufnr
  end)
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
  tell(bufnr, { marks = jobs_in(bufnr):map(mark):totable() })
end

--- Has the events told by which Neovim's core says nothing of a text.
---@param bufnr integer
local function watch(bufnr)
  local group = api.nvim_create_augroup(GROUP, { clear = false })
  if #api.nvim_get_autocmds({ group = group, buffer = bufnr }) > 0 then
    return
  end
  api.nvim_create_autocmd({ "BufReadPost", "BufEnter", "BufFilePost", "BufWritePost", "BufUnload" }, {
    group = group,
    buffer = bufnr,
    desc = "botglue: the host mirrors the text",
    callback = function(event)
      tell(bufnr, event.event == "BufUnload" and { rows = 0 } or {})
    end,
  })
end

--- From now on the host mirrors a buffer, and follows the range of a job in it.
---@param bufnr integer
---@param job botglue.Job? none while its prompt is typed
function M.want(bufnr, job)
  if has_text(bufnr) then
    watch(bufnr)
    tell(bufnr, { marks = job and { mark(job) } or nil })
  end
end

--- Another host has started: it mirrors what the one before it did.
function M.want_again()
  local group = api.nvim_create_augroup(GROUP, { clear = false })
  local told = {}
  for _, autocmd in ipairs(api.nvim_get_autocmds({ group = group })) do
    local bufnr = autocmd.buffer
    if bufnr and not told[bufnr] and has_text(bufnr) then
      told[bufnr] = true
      tell(bufnr, {})
    end
  end
end

return M
