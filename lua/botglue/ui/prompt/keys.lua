--- The keys of the prompt, in the order of its footer. While the menu is open, its own keys come first.

local earlier = require("botglue.ui.prompt.earlier")
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

--- A key that has nothing to choose from has no word, so the footer does not show it.
---@param prompt botglue.Prompt
---@return botglue.Key[]
function M.of(prompt)
  local everywhere, choice = { "n", "i", "s" }, prompt.choice
  local model, agent = choice:has_models() and "model" or nil, #choice.agents > 1 and "agent" or nil
  local function submit()
    prompt:submit()
  end
  local function close()
    prompt:close()
  end
  local function change(what)
    return function()
      prompt:change(what)
    end
  end
  local function step(by)
    return function()
      earlier.step(prompt, by)
    end
  end
  local function list()
    earlier.list(prompt)
  end
  local function break_line()
    press("<CR>")
  end
  --- A proposal is deleted, and typing goes on.
  local function empty()
    press([[<C-\><C-n>ggVG"_c]])
  end
  return {
    { "<C-s>", "send", submit, mode = everywhere },
    { "<S-Tab>", model, or_menu("<Up>", change("next_model")), mode = everywhere },
    { "<Tab>", agent, or_menu("<C-y>", change("next_agent")), mode = everywhere },
    { "<C-p>", "earlier", or_menu("<Up>", step(1)), mode = everywhere },
    { "<Esc>", "close", close, mode = "n" },
    { "<Esc>q", "close", mode = { "i", "s" } },
    { "<C-n>", nil, or_menu("<Down>", step(-1)), mode = everywhere },
    { "<C-f>", nil, or_menu("<C-e>", list), mode = everywhere },
    { "<CR>", nil, or_menu("<C-y>", break_line), mode = "i" },
    { "<CR>", nil, submit, mode = { "n", "s" } },
    { "q", nil, close, mode = "n" },
    { "<BS>", nil, empty, mode = "s" },
    { "<Del>", nil, empty, mode = "s" },
  }
end

return M
