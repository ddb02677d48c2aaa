--- What goes along with a selection: the unsaved lines around it, diagnostics on it, texts of other buffers, and where
--- the project is.

local buffer_path = require("botglue.util.buffer_path")

local M = {}

local api = vim.api

---@param bufnr integer
---@param row integer from 0; it may be behind the last one
---@return integer
local function bytes_above(bufnr, row)
  return api.nvim_buf_get_offset(bufnr, math.min(row, api.nvim_buf_line_count(bufnr)))
end

--- Whole lines around the rows `first` to `past`, the nearest taken first, within the limits of the options.
---@param bufnr integer
---@param first integer the first row that is left out, from 0
---@param past integer the row behind the last one that is left out
---@param limits { lines: integer, bytes: integer }
---@return string[] before nearest last
---@return string[] after nearest first
function M.around(bufnr, first, past, limits)
  local above = api.nvim_buf_get_lines(bufnr, math.max(first - limits.lines, 0), first, false)
  local below = api.nvim_buf_get_lines(bufnr, past, past + limits.lines, false)
  -- All of them, where Neovim knows that they fit: looking at each takes longer than the rest of a request.
  local around = bytes_above(bufnr, past + #below) - bytes_above(bufnr, first - #above)
  if around <= limits.bytes then
    return above, below
  end
  local left, up, down = limits.bytes, #above, 0
  local function fits(line)
    left = left - #line - 1
    return left >= 0
  end
  while up > 0 or down < #below do
    if up > 0 then
      if not fits(above[up]) then
        break
      end
      up = up - 1
    end
    if down < #below then
      if not fits(below[down + 1]) then
        break
      end
      down = down + 1
    end
  end
  return vim.list_slice(above, up + 1), vim.list_slice(below, 1, down)
end

---@type table<integer?, string>
local SEVERITY = { "error", "warning", "info", "hint" }

--- Diagnostics that touch the rows from `first` to `last`, from 0.
---@param bufnr integer
---@param first integer
---@param last integer
---@return { line: integer, severity: string, message: string, source: string }[]
function M.diagnostics(bufnr, first, last)
  -- Where the module is not loaded there are none, and loading it takes longer than all the rest.
  if not package.loaded["vim.diagnostic"] then
    return {}
  end
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if diagnostic.lnum <= last and (diagnostic.end_lnum or diagnostic.lnum) >= first then
      local severity = diagnostic.severity --[[@as integer]]
      found[#found + 1] = {
        line = diagnostic.lnum + 1,
        severity = SEVERITY[severity] or "error",
        message = diagnostic.message,
        source = diagnostic.source or "",
      }
    end
  end
  table.sort(found, function(a, b)
    return a.line < b.line
  end)
  return found
end

local LONGEST = 120 -- cells of a proposal
local NAMED = 3 -- diagnostics

--- Diagnostics that somebody would mend in these lines, and the lines that they are about. One may end before the first
--- column of a row.
---@param bufnr integer
---@param first integer from 1
---@param last integer
---@return { message: string, first: integer, last: integer }[]
local function in_lines(bufnr, first, last)
  local found = {}
  for _, diagnostic in ipairs(package.loaded["vim.diagnostic"] and vim.diagnostic.get(bufnr) or {}) do
    local from, to = diagnostic.lnum, diagnostic.end_lnum or diagnostic.lnum
    to = diagnostic.end_col == 0 and math.max(to - 1, from) or to
    if from < last and to >= first - 1 then
      found[#found + 1] = { message = diagnostic.message, first = from + 1, last = to + 1, nth = #found }
    end
  end
  table.sort(found, function(a, b)
    return a.first < b.first or (a.first == b.first and a.nth < b.nth)
  end)
  return found
end

--- A prompt to propose for lines that have diagnostics.
---@param bufnr integer
---@param first integer from 1
---@param last integer
---@return string? prompt
function M.proposal(bufnr, first, last)
  local text = require("botglue.util.text")
  local words, known = {}, {}
  for _, diagnostic in ipairs(in_lines(bufnr, first, last)) do
    local message = text.clean(vim.split(diagnostic.message, "\n")[1])
    if not known[message] then
      known[message] = true
      words[#words + 1] = message
    end
  end
  if #words == 0 then
    return nil
  elseif #words > NAMED then
    return ("fix these %d diagnostics"):format(#words)
  end
  return text.fit("fix: " .. table.concat(words, "; "), LONGEST, "…")
end

--- The lines of the diagnostics that touch one.
---@param bufnr integer
---@param line integer from 1
---@return integer? first
---@return integer? last
function M.diagnosed(bufnr, line)
  local first, last
  for _, diagnostic in ipairs(in_lines(bufnr, line, line)) do
    first, last = math.min(first or line, diagnostic.first), math.max(last or line, diagnostic.last)
  end
  return first, last and math.min(last, api.nvim_buf_line_count(bufnr))
end

--- The directory of the project that a buffer belongs to, else the working directory.
---@param bufnr integer
---@return string
function M.project(bufnr)
  -- As `vim.fs.root` does, without the lists that it makes of each directory.
  local path = buffer_path(bufnr)
  for directory in vim.fs.parents(path) do
    if path ~= "" and vim.uv.fs_access(directory .. "/.git", 0) then
      return directory
    end
  end
  return vim.fn.getcwd()
end

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

--- The user's buffers, the one that was used last first: how a prompt in a project names those that are loaded, and the
--- paths of its files.
---@param root string
---@return { number: integer, name: string?, path: string? }[]
function M.buffers(root)
  local buffers = vim.tbl_filter(function(buffer)
    return not vim.startswith(buffer.name, "botglue://")
  end, vim.fn.getbufinfo({ buflisted = 1 }))
  table.sort(buffers, function(a, b)
    if a.lastused ~= b.lastused then
      return a.lastused > b.lastused
    end
    return a.bufnr < b.bufnr
  end)
  return vim.tbl_map(function(buffer)
    local path = buffer_path(buffer.bufnr)
    return {
      number = buffer.bufnr,
      name = buffer.loaded == 1 and name_of(buffer.bufnr, root) or nil,
      path = vim.startswith(path, root .. "/") and path:sub(#root + 2) or nil,
    }
  end, buffers)
end

--- The text of a buffer from its first line on, at least as much as goes along.
---@param name string
---@param bufnr integer
---@param most integer bytes
---@return { name: string, lines: string[], count: integer }
function M.text(name, bufnr, most)
  local count, past = api.nvim_buf_line_count(bufnr), 0
  while past < count and api.nvim_buf_get_offset(bufnr, past) <= most do
    past = past + 1000
  end
  return { name = name, lines = api.nvim_buf_get_lines(bufnr, 0, past, false), count = count }
end

return M
