-- Registers the command and the maps. Requires no botglue module and starts nothing: that happens on first use.
if vim.g.loaded_botglue then
  return
end
vim.g.loaded_botglue = 1

vim.api.nvim_create_user_command("Botglue", function(args)
  require("botglue.commands").execute(args)
end, {
  nargs = "*",
  range = true,
  bang = true,
  desc = "Run an agent on a range",
  complete = function(...)
    return require("botglue.commands").complete(...)
  end,
})

vim.keymap.set("x", "<Plug>(botglue-run)", function()
  require("botglue.maps").run_visual()
end, { desc = "botglue: run on the selection" })

vim.keymap.set("n", "<Plug>(botglue-run)", function()
  return require("botglue.maps").run_operator()
end, { expr = true, desc = "botglue: run on a motion" })

vim.keymap.set("x", "<Plug>(botglue-ask)", function()
  require("botglue.maps").ask_visual()
end, { desc = "botglue: ask about the selection" })

vim.keymap.set("n", "<Plug>(botglue-ask)", function()
  return require("botglue.maps").ask_operator()
end, { expr = true, desc = "botglue: ask about a motion" })

vim.keymap.set("n", "<Plug>(botglue-line)", function()
  require("botglue.maps").run_line()
end, { desc = "botglue: run on the line" })

vim.keymap.set("n", "<Plug>(botglue-review)", "<Cmd>Botglue review<CR>", { desc = "botglue: held answers" })

vim.keymap.set("n", "<Plug>(botglue-jobs)", "<Cmd>Botglue jobs<CR>", { desc = "botglue: list of jobs" })

vim.keymap.set("n", "<Plug>(botglue-next)", function()
  require("botglue.jump").go(vim.v.count1)
end, { desc = "botglue: next answer" })

vim.keymap.set("n", "<Plug>(botglue-prev)", function()
  require("botglue.jump").go(-vim.v.count1)
end, { desc = "botglue: previous answer" })

local options = vim.g.botglue
if type(options) == "function" then
  local ok, returned = pcall(options)
  options = ok and returned
end
local wanted = type(options) ~= "table" or options.default_keymaps ~= false
if wanted and vim.fn.maparg("<leader>pp", "x") == "" and vim.fn.hasmapto("<Plug>(botglue-run)", "x") == 0 then
  vim.keymap.set(
    "x",
    "<leader>pp",
    "<Plug>(botglue-run)",
    { remap = true, desc = "botglue: run on the selection" }
  )
end

-- A small file names held answers of earlier sessions; where there is none, nothing is loaded.
local function announce_earlier()
  local dir = type(options) == "table" and options.data_dir or vim.fn.stdpath("data") .. "/botglue"
  if package.loaded["botglue.client"] or vim.uv.fs_stat(dir .. "/held.jsonl") then
    require("botglue.errors").guard(require("botglue.earlier").announce)
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
