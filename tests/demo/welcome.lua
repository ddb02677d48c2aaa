-- What `make try` says when the editor has opened.

local agent = vim.env.BOTGLUE_DEMO_AGENT
local hint = ("Select lines (V), press \\pp, say what you want, go on typing. %s answers."):format(agent)
vim.defer_fn(function()
  vim.api.nvim_echo({ { hint, "Title" } }, false, {})
end, 50)
