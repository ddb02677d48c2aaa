---@meta
-- What Neovim has, and the annotations of 0.11 do not know.

---@class (partial) vim.v.event
---@field new_mode string

---@class (partial) vim.bo
---@field autocomplete boolean since 0.12
