--- Shows an answer with several code blocks, with the blocks marked; `<CR>` makes one of them the answer.

local errors = require("botglue.host.errors")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.blocks")

---@class botglue.AnswerBlock
---@field lines string[] as an answer
---@field label string
---@field first integer its rows in the text, from 0
---@field last integer the row after the last one

---@param bufnr integer
---@param block botglue.AnswerBlock
local function draw(bufnr, block)
  api.nvim_buf_set_extmark(bufnr, namespace, block.first, 0, {
    end_row = block.last,
    hl_group = "BotglueRange",
    hl_eol = true,
  })
  -- Above the fence, which is the row before.
  api.nvim_buf_set_extmark(bufnr, namespace, math.max(block.first - 1, 0), 0, {
    virt_lines = { { { block.label, "BotglueKey" } } },
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

--- Opens the list of the blocks.
---@param id integer the job
---@param shown { text: string, title: string, blocks: botglue.AnswerBlock[] }
---@param show_chosen fun(id: integer) shows the answer once one of them is it
function M.open(id, shown, show_chosen)
  local bufnr = require("botglue.ui.scratch").make()
  api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(shown.text, "\n", { plain = true }))
  vim.bo[bufnr].modifiable, vim.bo[bufnr].readonly = false, true
  vim.bo[bufnr].syntax = "markdown"
  for _, block in ipairs(shown.blocks) do
    draw(bufnr, block)
  end
  vim.cmd.split()
  local win = api.nvim_get_current_win()
  api.nvim_win_set_buf(win, bufnr)
  vim.wo[win][0].winbar = shown.title:gsub("%%", "%%%%") .. "%<"
  api.nvim_win_set_cursor(win, { shown.blocks[1].first + 1, 0 })
  require("botglue.ui.review.scroll").show_top(win)
  local function map(lhs, desc, fn)
    vim.keymap.set("n", lhs, fn, { buffer = bufnr, nowait = true, desc = "botglue: " .. desc })
  end
  map("<CR>", "take this block as the answer", function()
    errors.guard(function()
      local lines = at_cursor(shown.blocks, win).lines
      require("botglue.ui.review.edit").save(id, lines)
      api.nvim_buf_delete(bufnr, { force = true })
      show_chosen(id)
    end)
  end)
  map("q", "close", function()
    pcall(api.nvim_win_close, win, true)
  end)
end

return M
