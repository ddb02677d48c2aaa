--- The signs: characters that every terminal font has.
return {
  failed = "✗",
  held = "◆",
  conflict = "⚠",
  between = " · ",
  cut = "…",
  border = { "╭", "─", "╮", "│", "╯", "─", "╰", "│" },
}
