-- How EmmyLua checks the annotations: `make lint`. Editors with its language server read this too; set VIMRUNTIME for them.
return {
  runtime = { version = "LuaJIT", requirePattern = { "lua/?.lua", "lua/?/init.lua" } },
  workspace = {
    library = { "$VIMRUNTIME/lua" },
    ignoreDir = { "target", "tests/lua", "tests/demo", "tests/it" },
    ignoreGlobs = { "tests/tools/*.lua" },
  },
  -- An entry of a list may be taken where it is known to be there, as all that may be nil.
  strict = { arrayIndex = false },
  diagnostics = {
    disable = {
      -- That something is not nil is often known from elsewhere: a job under review has an answer, a window has a row.
      "need-check-nil",
      "param-type-mismatch",
      "assign-type-mismatch",
      "return-type-mismatch",
      "unnecessary-if",
      -- Neovim 0.11 says too little of what it calls with: the functions for an `Iter`, `vim.version()`, `vim.deepcopy()`.
      "redundant-parameter",
      "call-non-callable",
      "generic-constraint-mismatch",
      -- `fail()` returns nothing, since it raises an error.
      "missing-return",
      -- Version 0.25.1 of the checker knows nothing any more after some conditions, as `if not a and b ~= c then return end`.
      "undefined-field",
      -- Older versions of Neovim have nothing else.
      "deprecated",
      -- A matter of taste.
      "preferred-local-alias",
    },
  },
}
