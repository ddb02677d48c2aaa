--- The files that a prompt mentions as `@path`, for agents that cannot read files: their text goes along.

local buffer_path = require("botglue.util.buffer_path")

local M = {}

local uv = vim.uv

---@class botglue.MentionedFile
---@field name string its path within the project
---@field text string as the editor has it, cut where there is too much

--- What stands behind each `@` that begins a word: a path, in quotes where it has blanks, as the menu writes it.
---@param prompt string
---@return string[]
local function words(prompt)
  local found = {}
  for at in prompt:gmatch("()@") do
    local before, rest = prompt:sub(at - 1, at - 1), prompt:sub(at + 1)
    if at == 1 or not before:find("[%w_.@]") then
      found[#found + 1] = rest:match('^"([^"\n]+)"') or rest:match("^[^%s@]+")
    end
  end
  return found
end

--- The file of a path within a project, not one that a link leads out to.
---@param root string
---@param path string
---@return string? file without links
local function within(root, path)
  local real = uv.fs_realpath(root .. "/" .. path)
  local stat = real and uv.fs_stat(real)
  return stat and stat.type == "file" and vim.startswith(real, root .. "/") and real or nil
end

--- The path of a word, which may have the sentence's punctuation behind it.
---@param root string
---@param word string
---@return string? name
---@return string? file
local function path_of(root, word)
  for _, name in ipairs({ word, (word:gsub("[%p]+$", "")) }) do
    local file = name ~= "" and within(root, name)
    if file then
      return name, file
    end
  end
end

--- The text of a file: of its buffer, where it is open, so that what is not saved counts.
---@param file string
---@param most integer bytes that are needed of it
---@return string? text
---@return integer? size of the whole, in bytes
local function read(file, most)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and uv.fs_realpath(buffer_path(bufnr)) == file then
      local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), "\n")
      return text, #text
    end
  end
  local handle = io.open(file, "rb")
  if handle then
    local text, size = handle:read(most + 1) or "", handle:seek("end", 0)
    handle:close()
    return text, size
  end
end

--- The whole lines at the beginning of a text for which there is room.
---@param text string
---@param size integer bytes of the whole
---@param room integer
---@return string
local function bounded(text, size, room)
  if #text <= room then
    return (text:gsub("\r\n", "\n"):gsub("\n$", ""))
  end
  local lines = text:sub(1, room):match("^(.*\n)") or ""
  return ("%s[cut here: the file has %d bytes, these are its first %d]"):format(lines, size, #lines)
end

--- The files that a prompt mentions, each once, in its order; no more of them than `bytes`.
---@param prompt string
---@param project string
---@param bytes integer
---@return botglue.MentionedFile[]
function M.files(prompt, project, bytes)
  local root, files, known = uv.fs_realpath(project), {}, {}
  for _, word in ipairs(root and words(prompt) or {}) do
    local name, file = path_of(root, word)
    local text, size
    if file and not known[file] then
      known[file] = true
      text, size = read(file, bytes)
    end
    -- One with a NUL in it is no text.
    if text and not text:find("%z") then
      files[#files + 1] = { name = name, text = bounded(text, size, bytes) }
      bytes = math.max(bytes - #text, 0)
    end
  end
  return files
end

return M
