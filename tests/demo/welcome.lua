-- What `make try` says when the editor has opened, and `make demo` when its scene is over.

local agent = vim.env.BOTGLUE_DEMO_AGENT
local hint = agent:find("replay$") and "Now you: :qa!, then `make try` with your own agent."
  or ("Now you: V selects lines, \\pp asks; go on typing, %s answers."):format(agent)
vim.defer_fn(function()
  vim.api.nvim_echo({ { hint, "Title" } }, false, {})
end, 50)
