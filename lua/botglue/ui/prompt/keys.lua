--- The keys of the prompt. While the menu is open, its own keys come first. What the host does at a key comes with what
--- it draws.

local menu = require("botglue.ui.prompt.menu")

local M = {}

--- Presses a key, before the next typed one.
---@param key string
local function press(key)
  vim.api.nvim_feedkeys(vim.keycode(key), "ni", false)
end

---@param key string what it is in the menu
---@param fn fun() what it does otherwise
---@return fun()
local function or_menu(key, fn)
  return function()
    if menu.is_open() then
      press(key)
    else
      fn()
    end
  end
end

--- A proposal is deleted, and typing goes on.
local function empty()
  press([[<C-\><C-n>ggVG"_c]])
end

---@param prompt botglue.Prompt
function M.map(prompt)
  local everywhere = { "n", "i", "s" }
  local function told(key)
    return function()
      prompt:tell({ key = key })
    end
  end
  local function step(key)
    return function()
      prompt:ask(key)
    end
  end
  local function submit()
    prompt:submit()
  end
  local function close()
    prompt:close()
  end
  local function list()
    prompt:list()
  end
  local function break_line()
    press("<CR>")
  end
  for _, key in ipairs({
    { "<C-s>", everywhere, submit },
    { "<S-Tab>", everywhere, or_menu("<Up>", told("model")) },
    { "<Tab>", everywhere, or_menu("<C-y>", told("agent")) },
    { "<C-g>", { "n", "i" }, told("way") },
    { "<C-p>", everywhere, or_menu("<Up>", step("earlier")) },
    { "<C-n>", everywhere, or_menu("<Down>", step("later")) },
    { "<C-f>", everywhere, or_menu("<C-e>", list) },
    { "<CR>", "i", or_menu("<C-y>", break_line) },
    { "<CR>", { "n", "s" }, submit },
    { "<Esc>", "n", close },
    { "q", "n", close },
    { "<BS>", "s", empty },
    { "<Del>", "s", empty },
    { "g?", "n", told("more") },
    { "<C-l>", { "i", "s" }, told("more") },
  }) do
    vim.keymap.set(key[2], key[1], function()
      require("botglue.host.errors").guard(key[3])
    end, { buffer = prompt.window.bufnr, nowait = key[1] ~= "g?", desc = "botglue: the prompt" })
  end
end

return M
