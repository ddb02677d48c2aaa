--- Defines the highlight groups.

local M = {}

local api = vim.api

--- The standard group of each, chosen so that it is legible in every colour scheme that Neovim ships. Comment and the
--- groups of diagnostics are not, nor is any text on the NormalFloat of some schemes.
local LINKS = {
  BotglueActivity = "WinBarNC",
  BotglueAdd = "DiffAdd",
  BotglueBorder = "Normal",
  BotglueChange = "DiffText",
  BotglueDelete = "Removed",
  BotglueFailure = "Removed",
  BotglueFlash = "IncSearch",
  BotglueFloat = "Normal",
  BotglueHeld = "Title",
  BotglueKey = "Title",
  BotglueLabel = "Normal",
  BotglueLanded = "Function",
  BotgluePreview = "WinBarNC",
  BotgluePrompt = "WinBarNC",
  BotglueRange = "QuickFixLine",
  BotglueReady = "Function",
  BotglueSelected = "TermCursor",
  BotglueSpinner = "Directory",
  BotglueTitle = "Title",
  BotglueTools = "Normal",
}

--- Defines the groups that neither the user nor the colour scheme has defined.
function M.define()
  for name, standard in pairs(LINKS) do
    api.nvim_set_hl(0, name, { link = standard, default = true })
  end
end

return M
