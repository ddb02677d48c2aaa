--- Shows an answer with several code blocks, with the blocks marked; `<CR>` makes one of them the answer.

local errors = require("botglue.host.errors")
local query = require("botglue.host.query")
local signs = require("botglue.util.signs")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.blocks")

---@class botglue.AnswerBlock
---@field lines string[] as an answer
---@field language string of its fence
---@field first integer its rows in the text, from 0
---@field last integer the row after the last one

---@param bufnr integer
---@param block botglue.AnswerBlock
---@param label string
local function draw(bufnr, block, label)
  api.nvim_buf_set_extmark(bufnr, namespace, block.first, 0, {
    end_row = block.last,
    hl_group = "BotglueRange",
    hl_eol = true,
  })
  -- Above the fence, which is the row before.
  api.nvim_buf_set_extmark(bufnr, namespace, math.max(block.first - 1, 0), 0, {
    virt_lines = { { { label, "BotglueKey" } } },
    virt_lines_above = true,
  })
end

---@param blocks botglue.AnswerBlock[]
---@param win integer
---@return botglue.AnswerBlock
local function at_cursor(blocks, win)
  local row = api.nvim_win_get_cursor(win)[1] - 1
  -- A fence is of its block.
  local found = vim.iter(blocks):find(function(block)
    return row >= block.first - 1 and row <= block.last
  end)
  return found or errors.fail("no block here: go to one of those that are highlighted")
end

---@param job botglue.Job
---@param bufnr integer
---@param block botglue.AnswerBlock
---@param show_chosen fun(job: botglue.Job)
local function choose(job, bufnr, block, show_chosen)
  if job.landing ~= "held" then
    errors.fail("job %d is not held any more", job.id)
  end
  require("botglue.jobs.proposal").edit(job, block.lines, true)
  api.nvim_buf_delete(bufnr, { force = true })
  show_chosen(job)
end

---@param job botglue.Job
---@param blocks botglue.AnswerBlock[]
---@param show_chosen fun(job: botglue.Job)
local function show(job, blocks, show_chosen)
  local bufnr = require("botglue.ui.scratch").make()
  api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(job.text, "\n", { plain = true }))
  vim.bo[bufnr].modifiable, vim.bo[bufnr].readonly = false, true
  vim.bo[bufnr].syntax = "markdown"
  for i, block in ipairs(blocks) do
    local parts = { ("%d of %d"):format(i, #blocks) }
    parts[#parts + 1] = block.language ~= "" and block.language or nil
    parts[#parts + 1] = #block.lines == 1 and "1 row" or ("%d rows"):format(#block.lines)
    draw(bufnr, block, table.concat(parts, signs.between))
  end
  vim.cmd.split()
  local win = api.nvim_get_current_win()
  api.nvim_win_set_buf(win, bufnr)
  vim.wo[win][0].winbar = table.concat({
    ("job %d: %d blocks"):format(job.id, #blocks),
    "<CR> takes one",
    (":Botglue edit %d has all"):format(job.id),
    "q close%<",
  }, signs.between)
  api.nvim_win_set_cursor(win, { blocks[1].first + 1, 0 })
  require("botglue.ui.review.scroll").show_top(win)
  local function map(lhs, desc, fn)
    vim.keymap.set("n", lhs, fn, { buffer = bufnr, nowait = true, desc = "botglue: " .. desc })
  end
  map("<CR>", "take this block as the answer", function()
    errors.guard(function()
      choose(job, bufnr, at_cursor(blocks, win), show_chosen)
    end)
  end)
  map("q", "close", function()
    pcall(api.nvim_win_close, win, true)
  end)
end

--- Opens the list of the blocks; all of the answer where there are none to choose from.
---@param job botglue.Job
---@param show_chosen fun(job: botglue.Job) shows it once one of them is its answer
function M.open(job, show_chosen)
  errors.no_window_in_cmdwin()
  local bufnr = job.range.bufnr
  local is_loaded = api.nvim_buf_is_loaded(bufnr)
  query.ask("blocks", {
    id = job.id,
    buffer = bufnr,
    text = job.text,
    selection = job.range:selection(),
    filetype = is_loaded and vim.bo[bufnr].filetype or "",
  }, function(result)
    local blocks = result and result.blocks or {}
    if job.landing ~= "held" then
      return
    elseif #blocks == 0 then
      errors.guard(require("botglue.ui.review.edit").open, job.id)
    else
      errors.guard(show, job, blocks, show_chosen)
    end
  end)
end

return M
