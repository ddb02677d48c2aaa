--- A quickfix list of jobs that were started together: an entry with the outcome of each, and the counts in the title.
--- It is updated as long as it is in the stack of lists; no window is opened for it.

local client = require("botglue.host.client")
local debounce = require("botglue.util.debounce")
local text = require("botglue.util.text")

local M = {}

local api = vim.api
local ENDED = { done = true, failed = true }
local LANDED = { applied = true, merged = true }

--- The outcome of a job, or its state.
---@param job botglue.JobTable
---@return string
local function words(job)
  if not ENDED[job.status] then
    return job.status
  end
  local prefix = job.status == "failed" and "failed: " or ""
  local hint = job.landing == "held" and (", :Botglue review %d"):format(job.id) or ""
  local known = client.job(job.id)
  return prefix .. (known and known.said or job.status) .. hint
end

---@param job botglue.JobTable
---@return table
local function entry(job)
  local kind = job.status == "failed" and "E" or job.landing == "held" and "W" or ""
  return {
    bufnr = api.nvim_buf_is_valid(job.bufnr) and job.bufnr or nil,
    filename = not api.nvim_buf_is_valid(job.bufnr) and job.path or nil,
    lnum = math.max(job.first_line, 1),
    end_lnum = math.max(job.last_line, 1),
    type = kind,
    user_data = job.id,
    text = text.clean(words(job)),
  }
end

---@param prompt string
---@param jobs botglue.JobTable[]
---@return string
local function title(prompt, jobs)
  local ended, counts = 0, {}
  for _, job in ipairs(jobs) do
    if ENDED[job.status] then
      ended = ended + 1
      local what = LANDED[job.landing] and "landed" or job.landing or job.status
      counts[what] = (counts[what] or 0) + 1
    end
  end
  local parts = { ("botglue each %s: %d of %d ended"):format(text.clean(prompt), ended, #jobs) }
  local names = vim.tbl_keys(counts)
  table.sort(names)
  for _, name in ipairs(names) do
    parts[#parts + 1] = ("%d %s"):format(counts[name], name)
  end
  return table.concat(parts, ", ")
end

--- Runs a change of the list; the cursors in its windows stay in their rows.
---@param fn fun()
local function keeping_views(fn)
  local views = {}
  for _, info in ipairs(vim.fn.getwininfo()) do
    if info.quickfix == 1 and info.loclist == 0 then
      views[info.winid] = api.nvim_win_call(info.winid, vim.fn.winsaveview)
    end
  end
  fn()
  for win, view in pairs(views) do
    api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

--- Makes the list, and follows the jobs.
---@param prompt string
---@param ids integer[]
function M.open(prompt, ids)
  local jobs, index = {}, {}
  for i, id in ipairs(ids) do
    jobs[i], index[id] = client.job(id):table(), i
  end
  vim.fn.setqflist({}, " ", { title = title(prompt, jobs), items = vim.tbl_map(entry, jobs) })
  local list = vim.fn.getqflist({ id = 0 }).id
  local show = debounce(function()
    for i, id in ipairs(ids) do
      -- What landed above moved the others.
      local job = client.job(id)
      jobs[i] = job and job:table() or jobs[i]
    end
    local idx = vim.fn.getqflist({ id = list, idx = 0 }).idx
    keeping_views(function()
      vim.fn.setqflist({}, "r", {
        id = list,
        idx = idx,
        title = title(prompt, jobs),
        items = vim.tbl_map(entry, jobs),
      })
    end)
  end)
  api.nvim_create_autocmd("User", {
    pattern = { "BotglueJobUpdated", "BotglueJobFinished" },
    desc = "botglue: the results of each",
    callback = function(event)
      local i = index[event.data.id]
      if not i then
        return
      elseif vim.fn.getqflist({ id = list }).id == 0 then
        return true
      end
      local before = jobs[i]
      jobs[i] = event.data
      if words(before) ~= words(jobs[i]) then
        show()
      end
    end,
  })
end

return M
