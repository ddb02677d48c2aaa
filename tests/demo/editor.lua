-- A second Neovim, driven from this one: it has the plugin, and keys are typed in it.

local Editor = {}
Editor.__index = Editor

--- Starts a Neovim in `directory`.
---@param directory string
---@param environment table<string, string>
function Editor.start(directory, environment)
  local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
  local command = {
    vim.env.BOTGLUE_DEMO_NVIM,
    "--clean",
    "--headless",
    "--embed",
    "-n",
    "--cmd",
    "luafile " .. here .. "/config.lua",
  }
  local channel = vim.fn.jobstart(command, { rpc = true, cwd = directory, env = environment })
  assert(channel > 0, "Neovim could not be started")
  return setmetatable({ channel = channel }, Editor)
end

--- Runs Lua there and gives back what it returns; `...` is what it finds in its own `...`.
function Editor:exec(lua, ...)
  return vim.rpcrequest(self.channel, "nvim_exec_lua", lua, { ... })
end

--- Presses keys there, all at once.
function Editor:press(keys)
  vim.rpcrequest(self.channel, "nvim_input", keys)
end

--- Types text there, one key after another, at the speed of a fast hand.
function Editor:type(text, key_ms)
  for key in text:gmatch("[%z\1-\127\194-\244][\128-\191]*") do
    self:press(key == "<" and "<lt>" or key == "\n" and "<CR>" or key)
    vim.wait(key_ms)
  end
end

--- Calls `fn(name, job)` here with each event of the plugin there.
function Editor:on_event(fn)
  -- What a channel sends is a call of Neovim's API, so the other side calls a function of this one.
  _G.botglue_demo_event = fn
  self:exec(
    [[
    local channel = ...
    vim.api.nvim_create_autocmd("User", {
      pattern = "BotglueJob*",
      callback = function(event)
        vim.rpcnotify(channel, "nvim_exec_lua", "botglue_demo_event(...)", { event.match, event.data })
      end,
    })
  ]],
    self:exec("return vim.api.nvim_list_chans()")[1].id
  )
end

--- The lines of its buffer.
function Editor:lines()
  return self:exec("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
end

--- Ends it.
function Editor:quit()
  vim.rpcnotify(self.channel, "nvim_command", "qa!")
  vim.fn.jobwait({ self.channel }, 5000)
end

return Editor
