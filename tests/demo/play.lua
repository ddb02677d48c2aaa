-- Plays the scene of the demo in the Neovim on the user's terminal: the same selections, prompts and typing.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
local check, script = dofile(here .. "/check.lua"), dofile(here .. "/script.lua")

local PAUSE = 500 -- milliseconds between two steps, for the eye

local play

--- Waits without holding Neovim up.
---@param ms integer
local function pause(ms)
  vim.defer_fn(play, ms)
  coroutine.yield()
end

---@param text string
local function type_in(text)
  for key in text:gmatch("[%z\1-\127\194-\244][\128-\191]*") do
    vim.api.nvim_input(key == "<" and "<lt>" or key == "\n" and "<CR>" or key)
    pause(script.key_ms)
  end
end

play = coroutine.wrap(function()
  local left = #script.jobs
  vim.api.nvim_create_autocmd("User", {
    pattern = "BotglueJobFinished",
    callback = function()
      left = left - 1
    end,
  })
  pause(2 * PAUSE)
  for _, job in ipairs(script.jobs) do
    local first, last = check.rows_of(vim.api.nvim_buf_get_lines(0, 0, -1, true), job.name)
    local agent = vim.env.BOTGLUE_DEMO_AGENT:find("replay$") and ("++agent=%s "):format(job.name) or ""
    vim.api.nvim_input(("%dGV%dG"):format(first, last))
    pause(PAUSE)
    type_in((":Botglue run %s%s\n"):format(agent, job.prompt))
  end
  for _, piece in ipairs(script.typing) do
    vim.api.nvim_input(piece.keys)
    pause(PAUSE)
    type_in(table.concat(piece.lines, "\n"))
    vim.api.nvim_input("<Esc>")
  end
  while left > 0 do
    pause(PAUSE)
  end
  dofile(here .. "/welcome.lua")
end)
play()
