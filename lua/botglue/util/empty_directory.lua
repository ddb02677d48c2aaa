--- An empty directory, for agents that load settings from the directory in which they run. It is checked before each
--- use, as the host does; if it has files, they stay, and another directory is used.

local M = {}

local uv = vim.uv

local MOST = 100 -- directories that are tried
local WRITABLE_BY_OTHERS = 18 -- 022

---@param path string
---@return boolean
local function is_usable(path)
  uv.fs_mkdir(path, 448) -- 0700; where it is there already, that tells the next lines
  -- Not through a symbolic link: where that leads may change.
  local stat = uv.fs_lstat(path)
  if not stat or stat.type ~= "directory" or stat.uid ~= uv.getuid() then
    return false
  elseif require("bit").band(stat.mode, WRITABLE_BY_OTHERS) ~= 0 then
    return false
  end
  local entries = uv.fs_scandir(path)
  return entries ~= nil and uv.fs_scandir_next(entries) == nil
end

---@param data_dir string
---@return string? path nil if none can be made
function M.find(data_dir)
  pcall(vim.fn.mkdir, data_dir, "p", 448)
  for number = 0, MOST - 1 do
    local path = vim.fs.joinpath(data_dir, number == 0 and "empty" or "empty-" .. number)
    if is_usable(path) then
      return path
    end
  end
end

return M
