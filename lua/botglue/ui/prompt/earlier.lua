--- Earlier prompts in the open prompt: one after the other in place of its text, or as a list in its menu. `recall` has
--- the prompts; the store may reply with them only after the key.

local undo_step = require("botglue.editor.undo_step")

local M = {}

local api = vim.api

---@param prompt botglue.Prompt
---@return boolean
local function is_entered(prompt)
  return prompt.float:is_open() and api.nvim_get_current_win() == prompt.float.win
end

--- Replaces the text by an earlier or a later prompt. Does nothing if the user has typed, changed the mode or left the
--- window before the store returned the prompts.
---@param prompt botglue.Prompt
---@param by integer
function M.step(prompt, by)
  local text_before, mode = prompt:text(), api.nvim_get_mode().mode
  prompt.recall:known(function()
    if not is_entered(prompt) then
      return
    end
    local now = prompt:text()
    local is_unchanged = now == text_before and api.nvim_get_mode().mode == mode
    if not is_unchanged and now ~= prompt.recall.shown then
      return
    end
    local text = prompt.recall:step(by, now, now == prompt.opts.proposal and "" or nil)
    if not text and by > 0 then
      prompt:say(prompt.recall:none(prompt.recall.typed))
    end
    if text and api.nvim_get_mode().mode:match("^[vVsS]") then
      -- A proposal is selected.
      vim.cmd("normal! \27")
      vim.cmd.startinsert({ bang = true })
    end
    if text then
      -- Undo restores the text that the user typed.
      undo_step.as_one_step(prompt.float.bufnr, 0, function()
        prompt:set_text(text)
      end)
    end
  end)
end

--- Shows earlier prompts as a list, filtered by the text. If the user has left the window or insert mode before the
--- store replies, no list opens. Insert mode starts with the key, never with the reply.
---@param prompt botglue.Prompt
function M.list(prompt)
  prompt.listing = true
  if not api.nvim_get_mode().mode:match("^i") then
    vim.cmd.startinsert({ bang = true })
  end
  prompt.recall:known(function()
    if is_entered(prompt) and prompt.listing and api.nvim_get_mode().mode:match("^i") then
      prompt.menu:update()
    end
  end)
end

--- Offers earlier prompts in the menu.
---@param prompt botglue.Prompt
---@param reply fun(col: integer?, items: botglue.MenuItem[]?)
function M.offer(prompt, reply)
  local text = prompt:text()
  local items = prompt.recall:items(text, prompt.float.width - 4)
  if #items == 0 then
    prompt:say(prompt.recall:none(text))
  end
  reply(0, items)
end

return M
