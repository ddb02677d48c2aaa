--- Reviews of held answers: opens them, and says what is on both sides.

local child = require("support.child")

local M = {}

M.LINES = { "a", "b", "c", "d", "e" }

--- Two functions that read the same but for their first rows.
M.CODE = {
  "use x",
  "",
  "// A",
  "fn a() {",
  "  one",
  "  two",
  "}",
  "",
  "// B",
  "fn b() {",
  "  one",
  "  two",
  "}",
  "",
  "end",
}

--- A child with the review of the first of some held answers for rows of `LINES`.
---@param ... [table, string[]] each answer: its range, and its lines
---@return Child
function M.open(...)
  local nvim = child.with_host(M.LINES)
  for id, each in ipairs({ ... }) do
    nvim:run(each[1], { review = true })
    nvim:answer(id, each[2])
  end
  nvim:type(":Botglue review 1<CR>")
  return nvim
end

--- The text of the buffer, and of the answer's side.
---@param nvim Child
---@return string[][]
function M.texts(nvim)
  return nvim:lua([[
    return vim.tbl_map(function(win)
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, true)
    end, vim.api.nvim_tabpage_list_wins(0))
  ]])
end

--- A held answer of a Neovim that is gone, as the host tells it: for rows 2 and 3 of `LINES`.
---@param path string
---@param more table? other fields
---@return table
function M.stored(path, more)
  return vim.tbl_extend("force", {
    uuid = "u1",
    agent = "claude",
    model = "opus",
    project = "/",
    path = path,
    filetype = "",
    prompt = "shorter",
    kind = "line",
    first_line = 2,
    last_line = 3,
    base = { "b", "c" },
    rows = { "b", "c" },
    cols = { 0, 0 },
    elapsed_ms = 1500,
    text = "B",
    lines = { "B" },
    held_for = "conflict",
    cost_usd = 0.5,
    input_tokens = 1,
    output_tokens = 1,
  }, more or {})
end

return M
