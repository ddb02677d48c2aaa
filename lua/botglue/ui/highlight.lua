--- The highlight groups, and the text of a range shown in one of them.

local connection = require("botglue.host.connection")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.highlight")

local FLASH = 200 -- milliseconds

--- The definition of a group, without `default`: Neovim drops that flag when 'background' changes.
---@param name string
---@return vim.api.keyset.get_hl_info
local function current(name)
  local look = api.nvim_get_hl(0, { name = name })
  look.default = nil
  return look
end

--- Defines the groups that neither the user nor the colour scheme has defined.
local function define()
  local ours = connection.looks
  for _, group in ipairs(require("botglue.ui.looks").GROUPS) do
    local before = current(group.name)
    if next(before) == nil or vim.deep_equal(before, ours[group.name]) then
      local look = group.look(group.standard)
      look.default = nil
      api.nvim_set_hl(0, group.name, look)
      ours[group.name] = current(group.name)
    end
  end
end

--- Has the groups defined, from now on for each colour scheme.
function M.define()
  if next(api.nvim_get_hl(0, { name = "BotglueRange" })) ~= nil and next(connection.looks) ~= nil then
    return
  end
  define()
  local group = api.nvim_create_augroup("botglue.highlight", { clear = true })
  local function on(event, pattern)
    api.nvim_create_autocmd(event, {
      group = group,
      pattern = pattern,
      desc = "botglue: the colours can be read",
      callback = define,
    })
  end
  on("ColorScheme", "*")
  -- Without a colour scheme only this tells.
  on("OptionSet", "background")
end

--- Shows the text of a range until the returned function is called.
---@param range botglue.Range
---@param group string?
---@return fun() remove
function M.range(range, group)
  M.define()
  local marks, bufnr = {}, range.bufnr
  local place = range:place()
  local function show(row, col, end_row, end_col, to_edge)
    marks[#marks + 1] = api.nvim_buf_set_extmark(bufnr, namespace, row, col, {
      end_row = end_row,
      end_col = end_col,
      right_gravity = true,
      end_right_gravity = false,
      hl_group = group or "BotglueRange",
      hl_eol = to_edge,
      hl_mode = "combine",
      priority = 50,
    })
  end
  if place and range.shape == "block" then
    for i, span in ipairs(place.spans) do
      show(place.first + i - 1, span[1], place.first + i - 1, span[2], false)
    end
  elseif place and range.shape == "char" then
    show(place.first, place.from, place.last, place.to, false)
  elseif place and range.shape == "line" then
    -- To the start of the row below, so that the last row is shown to the edge of the window too.
    show(place.first, 0, place.last + 1, 0, true)
  end
  return function()
    for _, id in ipairs(marks) do
      pcall(api.nvim_buf_del_extmark, bufnr, namespace, id)
    end
    marks = {}
  end
end

--- Shows for a moment where an answer has landed.
---@param range botglue.Range
---@return fun() remove
function M.flash(range)
  local remove = M.range(range, "BotglueFlash")
  vim.defer_fn(remove, FLASH)
  return remove
end

return M
