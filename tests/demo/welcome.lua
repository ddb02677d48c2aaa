-- What `make try` says when the editor has opened.

local agent = vim.env.BOTGLUE_DEMO_AGENT
local hint = "Select a function (V and some j), press \\pp, say what you want, and go on typing. Agent: "
  .. agent
vim.defer_fn(function()
  vim.api.nvim_echo({ { hint, "Title" } }, false, {})
end, 50)
