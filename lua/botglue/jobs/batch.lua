--- The quickfix lists of jobs that were started together, one row a job, with the host's text. A list is updated as
--- long as it is in Neovim's stack of lists; no window is opened for it.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local text = require("botglue.util.text")

local M = {}

local api = vim.api

---@param row { id: integer, text: string, type: string }
---@return table
local function entry(row)
  local job = connection.jobs[row.id]
  local item = { type = row.type, user_data = row.id, text = text.clean(row.text) }
  if job then
    local known = job:table()
    item.bufnr = api.nvim_buf_is_valid(known.bufnr) and known.bufnr or nil
    item.filename = not item.bufnr and known.path or nil
    item.lnum, item.end_lnum = math.max(known.first_line, 1), math.max(known.last_line, 1)
  end
  return item
end

--- Replaces the rows of a list with the host's; the cursors in its windows stay in their rows.
---@param told { list: integer, title: string, rows: { id: integer, text: string, type: string }[] }
function M.show(told)
  local list = vim.fn.getqflist({ id = told.list, idx = 0 })
  if list.id == 0 then
    return
  end
  local views = {}
  for _, info in ipairs(vim.fn.getwininfo()) do
    if info.quickfix == 1 and info.loclist == 0 then
      views[info.winid] = api.nvim_win_call(info.winid, vim.fn.winsaveview)
    end
  end
  local items, title = vim.tbl_map(entry, told.rows), text.clean(told.title)
  vim.fn.setqflist({}, "r", { id = told.list, idx = list.idx, title = title, items = items })
  for win, view in pairs(views) do
    api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

--- Makes a list; the host keeps it up to date.
---@param prompt string
---@param ids integer[]
function M.open(prompt, ids)
  local items = vim.tbl_map(function(id)
    return entry({ id = id, text = "queued", type = "" })
  end, ids)
  vim.fn.setqflist({}, " ", { title = "botglue each " .. text.clean(prompt), items = items })
  local batch = { list = vim.fn.getqflist({ id = 0 }).id, prompt = prompt, ids = ids }
  table.insert(connection.batches, batch)
  client.tell("batch", batch)
end

table.insert(connection.hooks.started, function(process)
  for _, batch in ipairs(connection.batches) do
    process:notify("batch", batch)
  end
end)

return M
