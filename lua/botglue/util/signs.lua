--- The signs: characters that every terminal font has.
return {
  spinner = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" },
  still = "▸",
  queued = "○",
  failed = "✗",
  landed = "✓",
  unchanged = "=",
  unknown = "–",
  ready = "●",
  held = "◆",
  conflict = "⚠",
  bar = "│",
  times = "×",
  between = " · ",
  cut = "…",
  border = { "╭", "─", "╮", "│", "╯", "─", "╰", "│" },
}
