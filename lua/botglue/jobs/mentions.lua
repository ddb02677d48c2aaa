--- The mentions in a prompt that add to the message: `@buffer:name` the text of another buffer, unsaved too;
--- `@diagnostics` all diagnostics of the buffer. The agent reads a mentioned file (`@src/lib.rs`) itself.

local context = require("botglue.editor.context")
local buffer_path = require("botglue.util.buffer_path")
local fail = require("botglue.host.errors").fail

local M = {}

local api = vim.api
local BUFFER, DIAGNOSTICS = "@buffer:", "@diagnostics"

---@class botglue.MentionedBuffer
---@field name string as the prompt has it
---@field lines string[] from its first one
---@field count integer how many it has

---@class botglue.Mentioned
---@field buffers botglue.MentionedBuffer[]
---@field diagnostics table[]

--- The name of a buffer in a prompt: its path in the project, another path, its name, else its number.
---@param bufnr integer
---@param root string
---@return string
local function name_of(bufnr, root)
  local path = buffer_path(bufnr)
  if path == "" then
    local name = api.nvim_buf_get_name(bufnr)
    return name ~= "" and name or tostring(bufnr)
  elseif vim.startswith(path, root .. "/") then
    return path:sub(#root + 2)
  end
  return vim.fn.fnamemodify(path, ":~")
end

--- The buffers of the user, the one that was used last first.
---@return vim.fn.getbufinfo.ret.item[]
local function listed()
  local buffers = vim.tbl_filter(function(buffer)
    return not vim.startswith(buffer.name, "botglue://")
  end, vim.fn.getbufinfo({ buflisted = 1 }))
  table.sort(buffers, function(a, b)
    if a.lastused ~= b.lastused then
      return a.lastused > b.lastused
    end
    return a.bufnr < b.bufnr
  end)
  return buffers
end

--- The buffers that a prompt for a buffer can name, and those that show files of its project.
---@param bufnr integer
---@param root string
---@return { name: string?, path: string? }[]
function M.buffers(bufnr, root)
  return vim.tbl_map(function(buffer)
    local path = buffer_path(buffer.bufnr)
    local is_named = buffer.loaded == 1 and buffer.bufnr ~= bufnr
    return {
      name = is_named and name_of(buffer.bufnr, root) or nil,
      path = vim.startswith(path, root .. "/") and path:sub(#root + 2) or nil,
    }
  end, listed())
end

--- The buffer of a name: the whole one, a number, or the end of a path that no other one has.
---@param name string
---@param root string
---@return integer? bufnr
local function buffer_of(name, root)
  local ends = {}
  for _, buffer in ipairs(listed()) do
    local bufnr = buffer.loaded == 1 and buffer.bufnr
    local own = bufnr and name_of(bufnr, root) or ""
    if bufnr and (own == name or tostring(bufnr) == name) then
      return bufnr
    elseif vim.endswith(own, "/" .. name) then
      ends[#ends + 1] = bufnr
    end
  end
  if #ends > 1 then
    fail("%s%s: %d buffers have this name, say more of the path", BUFFER, name, #ends)
  end
  return ends[1]
end

--- The places at which a mention can begin: not within a word, as in an address.
---@param text string
---@param mention string
---@return fun(): string? rest the text after it
local function behind(text, mention)
  local from = 1
  return function()
    while true do
      local at, last = text:find(mention, from, true)
      if not at then
        return nil
      end
      from = last + 1
      if not text:sub(at - 1, at - 1):find("[%w_.]") or at == 1 then
        return text:sub(from)
      end
    end
  end
end

--- The lines of a buffer from its first one, as far as there is room.
---@param bufnr integer
---@param room integer bytes
---@return string[] lines
---@return integer left bytes
local function beginning(bufnr, room)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  for i, line in ipairs(lines) do
    if #line + 1 > room then
      return vim.list_slice(lines, 1, i - 1), 0
    end
    room = room - #line - 1
  end
  return lines, room
end

--- The buffers that a text mentions.
---@param text string
---@param root string
---@param room integer bytes
---@return botglue.MentionedBuffer[]
---@return integer left bytes
local function buffers(text, root, room)
  local found, known = {}, {}
  for rest in behind(text, BUFFER) do
    local name = rest:match('^"([^"]+)"')
      or rest:match("^%S+")
      or fail("%s needs the name of a buffer", BUFFER)
    local bare = name:gsub("[,.;:!?)]+$", "")
    local bufnr = buffer_of(name, root) or buffer_of(bare, root)
    if not bufnr then
      fail("%s%s: no buffer that is loaded has this name", BUFFER, bare)
    elseif not known[bufnr] then
      local lines
      lines, room = beginning(bufnr, room)
      known[bufnr] = true
      found[#found + 1] = { name = bare, lines = lines, count = api.nvim_buf_line_count(bufnr) }
    end
  end
  return found, room
end

--- Whether a text mentions the diagnostics: not a file whose name begins so.
---@param text string
---@return boolean
local function wants_diagnostics(text)
  for rest in behind(text, DIAGNOSTICS) do
    if not rest:find("^[%w_/-]") and not rest:find("^%.%w") then
      return true
    end
  end
  return false
end

--- The buffers and diagnostics that a prompt mentions, within the option `context.bytes`. Raises an error if a buffer
--- does not exist.
---@param text string
---@param bufnr integer
---@param options botglue.Options
---@return botglue.Mentioned
function M.find(text, bufnr, options)
  if not text:find("@", 1, true) then
    return { buffers = {}, diagnostics = {} }
  end
  local found, room = buffers(text, context.project(bufnr), options.context.bytes)
  local diagnostics = {}
  for _, one in ipairs(wants_diagnostics(text) and context.diagnostics(bufnr, 0, math.huge) or {}) do
    room = room - #one.message
    if room < 0 then
      break
    end
    diagnostics[#diagnostics + 1] = one
  end
  return { buffers = found, diagnostics = diagnostics }
end

return M
