---@meta
-- What the plugin uses of `vim.uv`, for the check of annotations: Neovim 0.11 brings no annotations of it, 0.12 does.

---@class uv
---@field errno table<string, integer>
local uv = {}

---@class uv.uv_handle_t
local any = {}

---@param callback fun()?
function any:close(callback) end

---@return boolean?
function any:is_closing() end

---@class uv.uv_timer_t: uv.uv_handle_t
local timer = {}

---@param timeout integer milliseconds
---@param again integer
---@param callback fun()
---@return 0? success
---@return string? err
function timer:start(timeout, again, callback) end

---@return 0? success
---@return string? err
function timer:stop() end

---@return uv.uv_timer_t? timer
---@return string? err
function uv.new_timer() end

---@return integer nanoseconds
function uv.hrtime() end

---@return integer milliseconds
function uv.now() end

---@return integer? seconds
---@return integer microseconds
function uv.gettimeofday() end

---@return integer
function uv.getuid() end

---@return string? path
function uv.os_homedir() end

---@param pid integer
---@param signal string|integer|nil
---@return 0? success
---@return string? err
---@return string? err_name
function uv.kill(pid, signal) end

---@class uv.fs_stat.result
---@field mode integer
---@field uid integer
---@field ino integer
---@field dev integer
---@field size integer
---@field type string
---@field mtime { sec: integer, nsec: integer }

---@param path string
---@return uv.fs_stat.result? stat
---@return string? err
---@return string? err_name
function uv.fs_stat(path) end

---@param path string
---@return uv.fs_stat.result? stat
---@return string? err
---@return string? err_name
function uv.fs_lstat(path) end

---@class uv.uv_fs_t

---@param path string
---@return uv.uv_fs_t? handle
---@return string? err
---@return string? err_name
function uv.fs_scandir(path) end

---@param handle uv.uv_fs_t
---@return string? name
---@return string type
function uv.fs_scandir_next(handle) end

---@param path string
---@param mode integer
---@return boolean? success
---@return string? err
---@return string? err_name
function uv.fs_mkdir(path, mode) end

---@param path string
---@param mode string
---@return boolean? permission
---@return string? err
---@return string? err_name
function uv.fs_access(path, mode) end

return uv
