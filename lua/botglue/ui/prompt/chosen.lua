--- The agent and the model that were chosen last in the prompt, for each project: a small file, so that the next Neovim
--- begins with them. Where it cannot be read or written, nothing is remembered.

local M = {}

local uv = vim.uv

local MOST = 200 -- projects; the least recently used are removed

---@class botglue.Chosen
---@field agent string
---@field model string|false false leaves it to the CLI
---@field at integer when, Unix time in seconds

---@param options botglue.Options
---@return string
local function path(options)
  return options.data_dir .. "/chosen.json"
end

---@param entry any
---@return boolean
local function is_valid(entry)
  return type(entry) == "table"
    and type(entry.agent) == "string"
    and (entry.model == false or require("botglue.util.argument").is_word(entry.model))
    and type(entry.at) == "number"
end

--- What is known, by project.
---@param options botglue.Options
---@return table<string, botglue.Chosen>
local function all(options)
  local file = io.open(path(options), "rb")
  if not file then
    return {}
  end
  local ok, known = pcall(vim.json.decode, file:read("*a"))
  file:close()
  local valid = {}
  for project, entry in pairs(ok and type(known) == "table" and known or {}) do
    valid[project] = is_valid(entry) and entry or nil
  end
  return valid
end

--- What was chosen last in a project.
---@param options botglue.Options
---@param project string
---@return botglue.Chosen?
function M.of(options, project)
  return all(options)[project]
end

--- Remembers a choice. Another Neovim may read the file at any moment: it is replaced whole.
---@param options botglue.Options
---@param project string
---@param agent string
---@param model string|false
function M.remember(options, project, agent, model)
  local known = all(options)
  known[project] = { agent = agent, model = model, at = os.time() }
  local projects = vim.tbl_keys(known)
  table.sort(projects, function(a, b)
    return known[a].at > known[b].at
  end)
  for i = MOST + 1, #projects do
    known[projects[i]] = nil
  end
  pcall(vim.fn.mkdir, options.data_dir, "p", tonumber("700", 8))
  local part = ("%s.%d"):format(path(options), uv.os_getpid())
  local file = uv.fs_open(part, "w", tonumber("600", 8))
  if file then
    uv.fs_write(file, vim.json.encode(known))
    uv.fs_close(file)
    uv.fs_rename(part, path(options))
  end
end

return M
