-- Registers the command and the maps. Requires no botglue module and starts nothing: that happens on first use.
if vim.g.loaded_botglue then
  return
end
vim.g.loaded_botglue = 1

vim.api.nvim_create_user_command("Botglue", function(args)
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

vim.keymap.set("x", "<Plug>(botglue-run)", function()
  require("botglue.command.maps").run_visual()
end, { desc = "botglue: run on the selection" })

vim.keymap.set("n", "<Plug>(botglue-run)", function()
  return require("botglue.command.maps").run_operator()
end, { expr = true, desc = "botglue: run on a motion" })

vim.keymap.set("x", "<Plug>(botglue-ask)", function()
  require("botglue.command.maps").ask_visual()
end, { desc = "botglue: ask about the selection" })

vim.keymap.set("n", "<Plug>(botglue-ask)", function()
  return require("botglue.command.maps").ask_operator()
end, { expr = true, desc = "botglue: ask about a motion" })

vim.keymap.set("n", "<Plug>(botglue-line)", function()
  require("botglue.command.maps").run_line()
end, { desc = "botglue: run on the line" })

vim.keymap.set("n", "<Plug>(botglue-insert)", function()
  require("botglue.command.maps").insert()
end, { desc = "botglue: insert below the line" })

for name, command in pairs({
  review = "Botglue review",
  jobs = "Botglue jobs",
  accept = "Botglue accept",
  reject = "Botglue reject",
}) do
  vim.keymap.set("n", ("<Plug>(botglue-%s)"):format(name), ("<Cmd>%s<CR>"):format(command), {
    desc = "botglue: " .. name,
  })
end

for name, call in pairs({
  next = "go(vim.v.count1)",
  prev = "go(-vim.v.count1)",
  undrop = "undrop()",
}) do
  local keys = ("<Cmd>lua require('botglue.ui.review.keys').%s<CR>"):format(call)
  vim.keymap.set("n", ("<Plug>(botglue-hunk-%s)"):format(name), keys, { desc = "botglue: hunk, " .. name })
end

for _, name in ipairs({ "take", "drop" }) do
  vim.keymap.set("n", ("<Plug>(botglue-hunk-%s)"):format(name), function()
    return require("botglue.ui.review.keys").operator(name)
  end, { expr = true, desc = "botglue: hunk, " .. name })
end

vim.keymap.set("n", "<Plug>(botglue-next)", function()
  require("botglue.command.jump").go(vim.v.count1)
end, { desc = "botglue: next answer" })

vim.keymap.set("n", "<Plug>(botglue-prev)", function()
  require("botglue.command.jump").go(-vim.v.count1)
end, { desc = "botglue: previous answer" })

local options = vim.g.botglue
if type(options) == "function" then
  local ok, returned = pcall(options)
  options = ok and returned
end

--- Maps a key unless the user has mapped it, what it does, or what it begins with.
local function map_default(mode, lhs, plug, desc)
  local is_free = vim.fn.maparg(lhs, mode) == "" and vim.fn.maparg("<leader>p", mode) == ""
  if is_free and vim.fn.hasmapto(plug, mode) == 0 then
    vim.keymap.set(mode, lhs, plug, { remap = true, desc = "botglue: " .. desc })
  end
end

if type(options) ~= "table" or options.default_keymaps ~= false then
  map_default("x", "<leader>pp", "<Plug>(botglue-run)", "run on the selection")
  map_default("x", "<leader>pa", "<Plug>(botglue-ask)", "ask about the selection")
  map_default("n", "<leader>pp", "<Plug>(botglue-insert)", "insert below the line")
  map_default("n", "<leader>pr", "<Plug>(botglue-review)", "review the next held answer")
  map_default("n", "<leader>pj", "<Plug>(botglue-jobs)", "list the jobs")
  map_default("n", "<leader>py", "<Plug>(botglue-accept)", "accept the answer")
  map_default("n", "<leader>pn", "<Plug>(botglue-reject)", "reject the answer")
end

-- A small file names held answers of earlier sessions; where there is none, nothing is loaded.
local function announce_earlier()
  local dir = type(options) == "table" and options.data_dir or vim.fn.stdpath("data") .. "/botglue"
  if package.loaded["botglue.host.client"] or vim.uv.fs_stat(dir .. "/held.jsonl") then
    require("botglue.host.errors").guard(require("botglue.command.earlier").announce)
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(announce_earlier)
else
  vim.api.nvim_create_autocmd("VimEnter", {
    once = true,
    desc = "botglue: held answers of earlier sessions",
    callback = vim.schedule_wrap(announce_earlier),
  })
end
