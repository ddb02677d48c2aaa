-- Registers the command, the maps and the autocommands. Requires no botglue module and starts nothing: that happens
-- on first use. `setup()` sources it again for the maps.
local is_again = vim.fn.exists(":Botglue") == 2
if vim.g.loaded_botglue and not is_again then
  return
end
vim.g.loaded_botglue = 1
local api, fn = vim.api, vim.fn

-- The options, as far as they are known without loading a module.
local is_read, options = pcall(function()
  local client, global = package.loaded["botglue.host.client"], vim.g.botglue
  return client and client.options() or type(global) == "function" and global() or global
end)
options = is_read and type(options) == "table" and options or {}
local has_defaults = options.default_keymaps ~= false

-- For each map: mode, name, description, what it runs (`:` a subcommand, `=` a function that returns keys, else a
-- function), and its default key.
local MAPS = {
  { "x", "run", "run on the selection", "command.maps'.visual()", "<leader>pp" },
  { "n", "run", "run on a motion", "=command.maps'.operator()" },
  { "x", "ask", "ask about the selection", "command.maps'.visual(true)", "<leader>pa" },
  { "n", "ask", "ask about a motion", "=command.maps'.operator(v:true)" },
  { "n", "line", "run on the line", "command.maps'.run_line()" },
  { "n", "insert", "insert below the line", "command.maps'.insert()", "<leader>pp" },
  { "n", "review", "review the next held answer", ":review", "<leader>pr" },
  { "n", "jobs", "list the jobs", ":jobs", "<leader>pj" },
  { "n", "accept", "accept the answer", ":accept", "<leader>py" },
  { "n", "reject", "reject the answer", ":reject", "<leader>pn" },
  { "n", "followup", "follow up", ":followup", "<leader>pf" },
  { "x", "followup", "follow up", ":followup", "<leader>pf" },
  { "n", "next", "next answer", "command'.jump(vim.v.count1)" },
  { "n", "prev", "previous answer", "command'.jump(-vim.v.count1)" },
  { "n", "go", "go to the newest outcome", "command'.jump(0)", "<leader>pg" },
  { "n", "hunk-next", "hunk, next", "ui.review.keys'.press('next')" },
  { "n", "hunk-prev", "hunk, previous", "ui.review.keys'.press('previous')" },
  { "n", "hunk-take", "hunk, take", "=ui.review.keys'.operator('take')" },
  { "n", "hunk-both", "hunk, take both", "=ui.review.keys'.operator('both')" },
  { "n", "hunk-drop", "hunk, drop", "=ui.review.keys'.operator('drop')" },
}

-- Whether the user has maps that begin like the default ones, or run a `<Plug>` map: else no single map is looked up.
local function has_maps(mode)
  return fn.mapcheck("<leader>p", mode) ~= "" or fn.hasmapto("<Plug>(botglue-", mode) > 0
end
local is_looked_up = { n = has_maps("n"), x = has_maps("x") }

-- `nvim_set_keymap`, because `vim.keymap.set` takes three times as long, which matters while Neovim starts.
for _, map in ipairs(MAPS) do
  local mode, name, desc, runs, key = unpack(map)
  local how, what = runs:match("^([:=]?)(.*)")
  local plug = ("<Plug>(botglue-%s)"):format(name)
  local rhs = how == ":" and "<Cmd>Botglue " .. what
    or (how == "=" and "v:lua." or "<Cmd>lua ") .. "require'botglue." .. what
  rhs = how == "=" and rhs or rhs .. "<CR>"
  api.nvim_set_keymap(mode, plug, rhs, { noremap = true, expr = how == "=", desc = "botglue: " .. desc })
  -- No default key if the user has mapped `<leader>p`, the key itself, or another key to the `<Plug>` map.
  local is_taken = is_looked_up[mode]
    and (fn.maparg("<leader>p", mode) .. fn.maparg(key or "", mode) ~= "" or fn.hasmapto(plug, mode) > 0)
  if key and has_defaults and not is_taken then
    api.nvim_set_keymap(mode, key, plug, { desc = "botglue: " .. desc })
  end
end

if is_again then
  return
end

api.nvim_create_user_command("Botglue", function(args)
  require("botglue.command").execute(args)
end, {
  nargs = "*",
  range = true,
  bang = true,
  desc = "Run an agent on a range",
  complete = function(...)
    return require("botglue.command").complete(...)
  end,
})

-- The buffer of an answer is read by its name alone, also in a session file, which names a new one (`BufFilePost`).
local DOES = { BufReadCmd = "read", BufFilePost = "read", BufWriteCmd = "write" }
local EVENTS = { "BufReadCmd", "BufFilePost", "BufWriteCmd", "TextChanged", "TextChangedI", "TextChangedP" }
api.nvim_create_autocmd(EVENTS, {
  pattern = "botglue://answer/*",
  desc = "botglue: the answer in a buffer",
  callback = function(args)
    if vim.g.SessionLoad then
      -- Else the session file echoes the name, which is too long for a line. It restores the option itself.
      vim.o.shortmess = vim.o.shortmess .. "F"
    end
    local ok, raised = pcall(require("botglue.ui.review.held")[DOES[args.event] or "typed"], args.buf)
    if not ok then
      -- Later, so that it does not share a line with the command's own message.
      vim.schedule_wrap(require("botglue.host.notify").error)(raised)
    end
  end,
})

-- A session file restores other windows of the plugin without their text: they are closed.
api.nvim_create_autocmd("BufFilePost", {
  pattern = "botglue://*",
  desc = "botglue: a window of another session",
  callback = function(args)
    if vim.g.SessionLoad and not args.file:find("^botglue://answer/") then
      vim.schedule_wrap(pcall)(api.nvim_buf_delete, args.buf, { force = true })
    end
  end,
})

-- Only a journal can have held answers of earlier sessions: without one, no module is loaded.
local function announce_earlier()
  local dir = vim.fs.normalize(tostring(options.data_dir or fn.stdpath("data") .. "/botglue"))
  if package.loaded["botglue.host.client"] or vim.uv.fs_stat(dir .. "/journal") then
    require("botglue.host.errors").guard(require("botglue.command.earlier").announce)
  end
end

-- After the first screen is drawn and the first keys are read, so that the start of Neovim does not wait for it.
local ANNOUNCE_AFTER = 100 -- milliseconds

local function announce_later()
  vim.defer_fn(announce_earlier, ANNOUNCE_AFTER)
end

if vim.v.vim_did_enter == 1 then
  announce_later()
else
  api.nvim_create_autocmd("VimEnter", {
    once = true,
    desc = "botglue: held answers of earlier sessions",
    callback = announce_later,
  })
end
