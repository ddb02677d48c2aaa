-- What `make try` says when the editor has opened.

local agent = vim.env.BOTGLUE_DEMO_AGENT
local hint = ("V selects lines, \\pp asks; go on typing, %s answers."):format(agent)
vim.defer_fn(function()
  vim.api.nvim_echo({ { hint, "Title" } }, false, {})
end, 50)
