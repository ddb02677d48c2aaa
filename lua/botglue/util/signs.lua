--- The signs that are drawn: plain characters that every terminal font has, or ASCII.

local M = {}

local UNICODE = {
  spinner = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" },
  still = "▸",
  queued = "○",
  failed = "✗",
  landed = "✓",
  unchanged = "=",
  let_go = "·",
  unknown = "–",
  ready = "●",
  held = "◆",
  conflict = "⚠",
  bar = "│",
  times = "×",
  between = " · ",
  cut = "…",
  border = { "╭", "─", "╮", "│", "╯", "─", "╰", "│" },
  between_rows = { "├", "┤" }, -- the ends of a line across a window
}

local ASCII = {
  spinner = { "|", "/", "-", "\\" },
  still = ">",
  queued = "o",
  failed = "x",
  landed = "v",
  unchanged = "=",
  let_go = "-",
  unknown = "-",
  ready = "*",
  held = "!",
  conflict = "!",
  bar = "|",
  times = "x",
  between = " - ",
  cut = "...",
  border = { "+", "-", "+", "|", "+", "-", "+", "|" },
  between_rows = { "+", "+" },
}

---@param options botglue.Options
function M.of(options)
  return options.ascii and ASCII or UNICODE
end

return M
