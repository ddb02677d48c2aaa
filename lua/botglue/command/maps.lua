--- The functions behind the maps: they start a job on a selection or a motion, and show an error as one line.

local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local start = require("botglue.ui.start")
local selection = require("botglue.editor.selection")

local M = {}

--- `<Plug>(botglue-run)` and `<Plug>(botglue-ask)` in visual mode.
---@param question boolean?
function M.visual(question)
  errors.guard(start.on, assert(selection.take_visual()), { question = question })
end

--- The last line of the closed fold that holds a line, or the line itself if it is in none.
---@param line integer
---@return integer
local function fold_end(line)
  return math.max(vim.fn.foldclosedend(line), line)
end

--- `<Plug>(botglue-insert)`: below the current line, or like `o` below the whole closed fold.
function M.insert()
  local below = selection.insertion(vim.api.nvim_get_current_buf(), fold_end(vim.fn.line(".")))
  errors.guard(start.on, below, {})
end

--- `<Plug>(botglue-line)`: the current line, or `count` lines; a closed fold counts as one line, as with `dd`.
function M.run_line()
  errors.guard(function()
    local line = vim.api.nvim_win_get_cursor(0)[1]
    line = vim.fn.foldclosed(line) > 0 and vim.fn.foldclosed(line) or line
    local last = fold_end(line)
    for _ = 2, vim.v.count1 do
      last = fold_end(math.min(last + 1, vim.api.nvim_buf_line_count(0)))
    end
    start.on(selection.linewise(vim.api.nvim_get_current_buf(), line, last), {})
  end)
end

--- `<Plug>(botglue-run)` and `<Plug>(botglue-ask)` in normal mode. `.` repeats the operator with its last prompt.
---@param question boolean?
---@return string keys
function M.operator(question)
  connection.repeated = nil
  vim.go.operatorfunc = "v:lua.require'botglue.command.maps'." .. (question and "operate_ask" or "operate")
  require("botglue.editor.dot_repeat").begin(vim.go.operatorfunc)
  return "g@"
end

--- The functions of the operators; they are public, because 'operatorfunc' takes a name.
for name, is_question in pairs({ operate = false, operate_ask = true }) do
  ---@param kind "char"|"line"|"block"
  M[name] = function(kind)
    errors.guard(function()
      local request = { prompt = connection.repeated, question = is_question or nil }
      start.on(selection.from_operator(kind), request, true)
    end)
  end
end

--- Removes the default maps that are still the plugin's.
function M.remove_default_keymaps()
  for _, mode in ipairs({ "n", "x" }) do
    for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
      if (map.desc or ""):find("^botglue: ") and (map.rhs or ""):find("^<Plug>%(botglue%-") then
        vim.keymap.del(mode, map.lhs)
      end
    end
  end
end

return M
