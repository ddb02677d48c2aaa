-- What the tests of the mirror do within Neovim: it has a buffer mirrored, and compares the mirror with it.

local M = {}

local channel = vim.tbl_filter(function(candidate)
  return candidate.stream == "stdio"
end, vim.api.nvim_list_chans())[1].id

--- The host mirrors the current buffer from now on.
function M.want()
  require("botglue.wiring")
  local client = require("botglue.host.client")
  client.connect(client.options())
  require("botglue.host.attach").want(vim.api.nvim_get_current_buf())
  return vim.api.nvim_get_current_buf()
end

--- Rows of any bytes as text that can be read.
local function shown(rows)
  return vim.tbl_map(function(row)
    return (row:gsub("[^\32-\126]", function(byte)
      return ("\\x%02x"):format(byte:byte())
    end))
  end, rows or {})
end

--- Asks the host for the mirror of a buffer, and tells the test how it compares.
function M.ask(bufnr, token)
  require("botglue.host.query").ask("mirror", { buffer = bufnr }, function(mirror, err)
    mirror = mirror or {}
    local is_valid = vim.api.nvim_buf_is_valid(bufnr)
    local is_loaded = vim.api.nvim_buf_is_loaded(bufnr)
    local rows = is_loaded and vim.api.nvim_buf_get_lines(bufnr, 0, -1, true) or {}
    local tick = is_valid and vim.api.nvim_buf_get_changedtick(bufnr) or 0
    local is_same = vim.deep_equal(rows, mirror.rows)
    vim.rpcnotify(channel, "botglue_test", "mirror", {
      token = token,
      error = err,
      link = mirror.link,
      is_valid = is_valid,
      is_loaded = is_loaded,
      is_same = is_same,
      ticks = { mirror.tick or -1, tick },
      mirrored = is_same and {} or shown(mirror.rows),
      rows = is_same and {} or shown(rows),
      count = #(mirror.rows or {}),
      places = mirror.places,
    })
  end)
end

--- The user is in the mirrored buffer again, at this row, where they can be; a buffer that is gone is opened anew.
function M.home(bufnr, row)
  if vim.fn.mode() ~= "n" or vim.fn.getcmdwintype() ~= "" then
    return bufnr
  end
  if not vim.api.nvim_buf_is_valid(bufnr) then
    vim.cmd("silent! only! | edit! again.txt")
    bufnr = M.want()
  elseif vim.api.nvim_get_current_buf() ~= bufnr then
    vim.cmd("silent! only! | silent! buffer! " .. bufnr)
  end
  pcall(vim.fn.cursor, math.min(row, vim.fn.line("$")), 1)
  return bufnr
end

return M
