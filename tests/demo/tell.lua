-- How the demo prints: a timeline, a diff, one line a job. Colours only on a terminal that wants them.

local M = {}

local coloured = vim.uv.guess_handle(1) == "tty" and (vim.env.NO_COLOR or "") == ""
local CODES = { dim = 2, red = 31, green = 32, cyan = 36, bold = 1 }

--- The text in a colour.
function M.paint(colour, text)
  return coloured and ("\27[%dm%s\27[0m"):format(CODES[colour], text) or text
end

--- One line.
function M.line(format, ...)
  io.write(format:format(...), "\n")
  io.flush()
end

--- A heading with an empty line above it.
function M.heading(text)
  M.line("\n%s", M.paint("bold", text))
end

--- The text cut to a width, with an ellipsis where it was longer.
function M.cut(text, width)
  return #text <= width and text or text:sub(1, width - 3) .. "..."
end

--- A diff of two lists of lines, without its file names.
function M.diff(before, after)
  local function text(lines)
    return table.concat(lines, "\n") .. "\n"
  end
  local diff = vim.diff(text(before), text(after), { ctxlen = 1 })
  for line in vim.gsplit(vim.trim(diff), "\n") do
    local colour = ({ ["+"] = "green", ["-"] = "red", ["@"] = "cyan" })[line:sub(1, 1)]
    M.line("  %s", colour and M.paint(colour, line) or line)
  end
end

return M
