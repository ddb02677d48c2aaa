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

-- The buffer of an answer has a name that reads itself, also in another session: `:mksession` has a new buffer get it.
for event, name in pairs({ BufReadCmd = "read", BufFilePost = "read", BufWriteCmd = "write" }) do
  vim.api.nvim_create_autocmd(event, {
    pattern = "botglue://answer/*",
    desc = "botglue: " .. name .. " an answer",
    callback = function(args)
      require("botglue.wiring")
      local ok, raised = pcall(require("botglue.ui.review.held")[name], args.buf)
      if not ok then
        -- Not in one line with what the command says.
        vim.schedule(function()
          require("botglue.host.notify").error(raised)
        end)
      end
    end,
  })
end

-- `nvim_set_keymap`: `vim.keymap.set` takes three times as long, which counts as Neovim starts.
local set_keymap = vim.api.nvim_set_keymap

local function plug(mode, name, desc, lua)
  local rhs = ("<Cmd>lua require'botglue.%s<CR>"):format(lua)
  set_keymap(mode, ("<Plug>(botglue-%s)"):format(name), rhs, { noremap = true, desc = "botglue: " .. desc })
end

--- For the operators: `lua` returns `g@`.
local function plug_operator(name, desc, lua)
  local rhs, opts =
    "v:lua.require'botglue." .. lua, { noremap = true, expr = true, desc = "botglue: " .. desc }
  set_keymap("n", ("<Plug>(botglue-%s)"):format(name), rhs, opts)
end

plug("x", "run", "run on the selection", "command.maps'.visual()")
plug_operator("run", "run on a motion", "command.maps'.operator()")
plug("x", "ask", "ask about the selection", "command.maps'.visual(true)")
plug_operator("ask", "ask about a motion", "command.maps'.operator(v:true)")
plug("n", "line", "run on the line", "command.maps'.run_line()")
plug("n", "insert", "insert below the line", "command.maps'.insert()")
for _, name in ipairs({ "review", "jobs", "accept", "reject", "followup" }) do
  local rhs = ("<Cmd>Botglue %s<CR>"):format(name)
  set_keymap("n", ("<Plug>(botglue-%s)"):format(name), rhs, { noremap = true, desc = "botglue: " .. name })
end
set_keymap(
  "x",
  "<Plug>(botglue-followup)",
  "<Cmd>Botglue followup<CR>",
  { noremap = true, desc = "botglue: followup" }
)
plug("n", "next", "next answer", "command'.jump(vim.v.count1)")
plug("n", "prev", "previous answer", "command'.jump(-vim.v.count1)")
plug("n", "go", "go to the newest outcome", "command'.jump(0)")
plug("n", "hunk-next", "hunk, next", "ui.review.keys'.press('next')")
plug("n", "hunk-prev", "hunk, previous", "ui.review.keys'.press('previous')")
plug_operator("hunk-take", "hunk, take", "ui.review.keys'.operator('take')")
plug_operator("hunk-both", "hunk, take both", "ui.review.keys'.operator('both')")
plug_operator("hunk-drop", "hunk, drop", "ui.review.keys'.operator('drop')")

local options = vim.g.botglue
if type(options) == "function" then
  local ok, returned = pcall(options)
  options = ok and returned
end

-- Whether the user has mapped what the default maps begin with.
local is_taken = { n = vim.fn.maparg("<leader>p", "n") ~= "", x = vim.fn.maparg("<leader>p", "x") ~= "" }

--- Maps a key unless the user has mapped it, what it does, or what it begins with.
local function map_default(mode, lhs, rhs, desc)
  if not is_taken[mode] and vim.fn.maparg(lhs, mode) == "" and vim.fn.hasmapto(rhs, mode) == 0 then
    set_keymap(mode, lhs, rhs, { desc = "botglue: " .. desc })
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
  map_default("n", "<leader>pf", "<Plug>(botglue-followup)", "follow up")
  map_default("x", "<leader>pf", "<Plug>(botglue-followup)", "follow up")
  map_default("n", "<leader>pg", "<Plug>(botglue-go)", "go to the newest outcome")
end

-- Small files name held answers of earlier sessions; where there are no journals, nothing is loaded.
local function announce_earlier()
  local given = type(options) == "table" and options.data_dir or vim.fn.stdpath("data") .. "/botglue"
  local dir = vim.fs.normalize(tostring(given))
  if package.loaded["botglue.host.client"] or vim.uv.fs_stat(dir .. "/journal") then
    require("botglue.host.errors").guard(require("botglue.command.earlier").announce)
  end
end

-- Once the first screen is there and the first keys are read: no start waits for it.
local ANNOUNCE_AFTER = 100 -- milliseconds

local function announce_later()
  vim.defer_fn(announce_earlier, ANNOUNCE_AFTER)
end

if vim.v.vim_did_enter == 1 then
  announce_later()
else
  vim.api.nvim_create_autocmd("VimEnter", {
    once = true,
    desc = "botglue: held answers of earlier sessions",
    callback = announce_later,
  })
end
