--- The keys of the prompt. While the menu is open, its own keys come first. What the host does at a key comes with what
--- it draws.

local guard = require("botglue.host.errors").guard
local menu = require("botglue.ui.prompt.menu")

local M = {}

local EVERYWHERE = { "n", "i", "s" }

--- Each with its modes, what it does, a method of the prompt or a word for the host, and what it is in the menu; asked:
--- done before the next key.
---@type { [1]: string, [2]: string|string[], [3]: string, [4]: string?, asked: boolean? }[]
local KEYS = {
  { "<C-s>", EVERYWHERE, "submit" },
  { "<S-Tab>", EVERYWHERE, "model", "<Up>" },
  { "<Tab>", EVERYWHERE, "agent", "<C-y>" },
  { "<C-g>", { "n", "i" }, "way" },
  { "<C-p>", EVERYWHERE, "earlier", "<Up>", asked = true },
  { "<C-n>", EVERYWHERE, "later", "<Down>", asked = true },
  { "<C-f>", EVERYWHERE, "list", "<C-e>" },
  { "<CR>", "i", "<CR>", "<C-y>" },
  { "<CR>", { "n", "s" }, "submit" },
  { "<Esc>", "n", "leave" },
  { "q", "n", "leave" },
  -- A proposal is deleted, and typing goes on.
  { "<BS>", "s", [[<C-\><C-n>ggVG"_c]] },
  { "<Del>", "s", [[<C-\><C-n>ggVG"_c]] },
  { "g?", "n", "more" },
  { "<C-l>", { "i", "s" }, "more" },
}

---@param prompt botglue.Prompt
function M.map(prompt)
  for _, key in ipairs(KEYS) do
    local lhs, modes, does, in_menu = unpack(key)
    vim.keymap.set(modes, lhs, function()
      local pressed = in_menu and menu.is_open() and in_menu or does:match("^<.*")
      if pressed then
        -- Before the next typed one.
        vim.api.nvim_feedkeys(vim.keycode(pressed), "ni", false)
      elseif prompt[does] then
        guard(prompt[does], prompt)
      elseif key.asked then
        guard(prompt.ask, prompt, does)
      else
        guard(prompt.tell, prompt, does)
      end
    end, { buffer = prompt.bufnr, nowait = lhs ~= "g?", desc = "botglue: the prompt" })
  end
end

return M
