-- The README says nothing that is not so: what it names exists, its code runs, and each of its promises has a test.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local root = vim.fs.dirname(vim.api.nvim_get_runtime_file("plugin/botglue.lua", false)[1]) .. "/.."

local function read(path)
  return table.concat(vim.fn.readfile(root .. "/" .. path), "\n")
end

local readme, help = read("README.md"), read("doc/botglue.txt")

-- Words of the README, then the files and the names of tests that show that they are true.
local PROMISES = {
  { "wherever that range has moved to", "it/scenarios.rs", "lines_inserted_above_move_the_range" },
  {
    "many at once",
    "it/parallel.rs",
    "thirty_two_jobs_in_one_buffer_land_in_their_own_ranges_while_the_user_types",
  },
  { "both changes are merged", "it/scenarios.rs", "an_edit_inside_the_range_is_merged_with_the_answer" },
  { "the answer is held for review", "it/scenarios.rs", "an_edit_of_what_the_answer_changes_holds_it" },
  { "survives `:qa!`", "it/holding.rs", "a_held_answer_survives_quitting_and_is_decided_once" },
  { "and a crash", "it/holding.rs", "a_held_answer_survives_a_crash_of_neovim" },
  { "small calls a second", "it/scenarios.rs", "a_flood_of_output_reaches_the_editor_as_a_few_frames" },
  {
    "tools that read",
    "it/claude/answers.rs",
    "a_read_outside_the_project_is_denied_and_a_made_up_command_runs_nothing",
  },
  {
    "one undo step of its own",
    "lua/undo_spec.lua",
    "a landing is one step apart from what was typed before and after",
  },
  { "blockwise", "it/scenarios.rs", "a_block_is_replaced_row_by_row" },
  { "an insertion below", "it/scenarios.rs", "an_insertion_goes_below_the_cursor_line" },
  { "make demo", "it/demo.rs", "recorded_answers_land_while_somebody_types" },
  { "downloads the released host", "it/install/mod.rs", "the_released_host_of_this_version_is_taken" },
  { "the release's checksum", "it/install/mod.rs", "an_archive_with_another_checksum_is_not_taken" },
  { "Otherwise it builds", "it/install/mod.rs", "without_a_release_it_is_built" },
  {
    "interrupted build goes on",
    "it/install/mod.rs",
    "an_interrupted_build_leaves_no_draft_and_goes_on_with_the_next_one",
  },
  { ":checkhealth botglue", "lua/health_spec.lua", "no host" },
  {
    "send it with `<C-s>`",
    "lua/prompt_spec.lua",
    "it opens below the range, and <C-s> sends what was typed",
  },
  { "the buffer stays as it is |", "it/ask.rs", "a_question_is_answered_and_changes_nothing" },
  {
    "`<Tab>` or `<S-Tab>`",
    "lua/prompt_models_spec.lua",
    "<S-Tab> goes through the models, <Tab> through the agents",
  },
  { "++agent=droid", "lua/plusopt_spec.lua", "an agent and a model before the prompt are the job's" },
  { "`:Botglue jobs`", "lua/jobs_spec.lua", "every state has its sign and its words, newest first" },
  { "`:Botglue info`", "lua/info_spec.lua", "the sums, by model and by agent; what is not known is a dash" },
  { "statusline()", "lua/api_spec.lua", "the status line counts what runs and what is held" },
  {
    "as hunks in the buffer",
    "lua/review_spec.lua",
    "a held answer is shown as hunks in its buffer, which stays as it is",
  },
  { "`do` takes it", "lua/review_spec.lua", "do takes the hunk under the cursor, and u proposes it again" },
  {
    "`dp` drops it",
    "lua/review_spec.lua",
    "dp drops the hunk under the cursor, and the one dropped last comes back",
  },
  { "accepts what is left", "lua/review_spec.lua", "accept and reject decide of what is left" },
  {
    "after edits around it",
    "lua/revert_spec.lua",
    "reverting takes a landed answer back, after edits around it, as one step",
  },
  {
    "the agent knows what was said",
    "it/claude/sessions.rs",
    "a_follow_up_knows_the_conversation_and_the_text_as_it_is_now",
  },
  {
    "goes back to an earlier message",
    "it/claude/sessions.rs",
    "a_rewind_goes_on_before_what_was_answered_then",
  },
  {
    "one job for each item",
    "lua/each_spec.lua",
    "each item is a job on its lines, in files that no window shows",
  },
  {
    "as another quickfix list",
    "lua/each_spec.lua",
    "the results are a quickfix list with what became of each",
  },
  { "including earlier sessions", "it/lists.rs", "what_earlier_neovims_did_is_listed_and_summed_up" },
  {
    "recalls earlier prompts",
    "it/prompt.rs",
    "earlier_prompts_are_those_that_were_used_most_and_last_in_every_neovim",
  },
  {
    "`@` completes",
    "lua/prompt_keys_spec.lua",
    "@ does not offer what git ignores, and runs nothing of the repository's",
  },
  { "survives a crash; `<C-p>`", "it/prompt.rs", "what_is_typed_survives_a_crash_of_neovim" },
  { "holds the answer for review", "lua/held_spec.lua", "with review nothing lands by itself" },
  {
    "a line below its range",
    "it/claude/answers.rs",
    "prompt_and_code_reach_the_model_but_no_command_line",
  },
  {
    "the newest code as it comes",
    "lua/live_spec.lua",
    "code is previewed in a block that grows with it and never shrinks",
  },
  { "a pending operator", "lua/moment_spec.lua", "a pending operator, a count, a register" },
  { "its timeout", "it/job.rs", "a_timeout_is_named_and_ends_an_agent_that_ignores_term" },
  { "without `setup()`", "lua/config_spec.lua", "vim.g.botglue is a table or a function, and setup() wins" },
  {
    "repeats with the same prompt",
    "lua/command_spec.lua",
    "the operator takes a motion, and the dot repeats it with the same prompt",
  },
  { "is all it takes to use Codex", "lua/config_spec.lua", "the name of a shipped agent is all it takes" },
  {
    "in an empty directory",
    "it/job.rs",
    "an_agent_that_trusts_its_directory_runs_in_an_empty_one_unless_the_project_is_trusted",
  },
  { "any program that reads a message", "it/text.rs", "what_it_prints_lands_line_by_line" },
  {
    "settings are not loaded",
    "it/trust.rs",
    "claude_runs_nothing_of_a_hostile_project_and_tells_it_nothing",
  },
  {
    "Droid and Codex may read any file",
    "it/droid/answers.rs",
    "a_read_outside_the_project_is_not_denied_but_a_made_up_command_runs_nothing",
  },
  {
    "What is sent",
    "it/scenarios.rs",
    "the_agent_is_told_of_unsaved_text_diagnostics_and_the_rules_of_the_project",
  },
  {
    "never through the command line",
    "it/claude/answers.rs",
    "prompt_and_code_reach_the_model_but_no_command_line",
  },
  { "newest 200 jobs", "it/scenarios.rs", "the_raw_stream_is_kept_and_shown" },
  {
    "no prompts and",
    "it/log.rs",
    "the_log_has_codes_and_lengths_but_no_word_of_an_error_of_stderr_or_of_code",
  },
  { "Agents end with their job", "it/endings.rs", "quitting_in_mid_job_leaves_nothing_running" },
  {
    "leaves the buffer as it was",
    "lua/held_spec.lua",
    "a failed job leaves the buffer and the screen as they were",
  },
}

test("each promise stands there, and has its test", function()
  local text = readme:lower():gsub("%s+", " ")
  for _, promise in ipairs(PROMISES) do
    local words, file, name = unpack(promise)
    assert(text:find(words:lower(), 1, true), "the README does not say: " .. words)
    local is_lua = vim.endswith(file, ".lua")
    local begins = is_lua and ('test("%s", function()'):format(name) or ("fn %s()"):format(name)
    local code = read("tests/" .. file)
    local at = assert(code:find(begins, 1, true), ("%s has no test %q"):format(file, name))
    local is_ignored = code:sub(1, at - 1):match("#%[ignore[^\n]*\n[%l ]*$")
    assert(not is_ignored, ("make test does not run %s"):format(name))
  end
end)

test("it fits: the help has all the rest", function()
  assert(#vim.split(readme, "\n") <= 180)
end)

test("what it names exists: commands, help entries, make targets, files, keys", function()
  local commands = require("botglue.command").complete("", "Botglue ")
  for name in readme:gmatch(":?Botglue!? (%l+)") do
    assert(vim.list_contains(commands, name), name)
  end
  for tag in readme:gmatch("`:help ([^`]+)`") do
    assert(help:find("*" .. tag .. "*", 1, true), tag)
  end
  local makefile = "\n" .. read("Makefile")
  for target in readme:gmatch("make (%l+)[`%s]") do
    assert(makefile:find("\n" .. target .. ":", 1, true), target)
  end
  for file in readme:gmatch("%]%(([%w/._-]+)%)") do
    assert(vim.uv.fs_stat(root .. "/" .. file), file)
  end
  local nvim = child.start()
  for key in readme:gmatch("`(<leader>p%l)`") do
    local is_mapped = nvim:lua("return vim.fn.maparg(..., 'n') .. vim.fn.maparg(..., 'x') ~= ''", key)
    assert(is_mapped, key)
  end
end)

test("its numbers are those of the code", function()
  local defaults = require("botglue.config").defaults()
  for _, words in ipairs({
    ("its timeout (%d seconds)"):format(defaults.timeout),
    ("(%d lines each way, 200,000 bytes)"):format(defaults.context.lines),
    ("Rust %s or newer"):format(read("Cargo.toml"):match('rust%-version = "([%d.]+)"')),
  }) do
    suite.contains(readme, words)
  end
  equal(defaults.context.bytes, 200000)
end)

test("its table has the shipped agents, each with its program", function()
  local rows = {}
  for name, program in readme:gmatch("\n| `([%l-]+)` | `([%l-]+)` |") do
    rows[name] = program
  end
  local expected = {}
  for name, agent in pairs(require("botglue.config").defaults().agents) do
    expected[name] = agent.command[1]
  end
  equal(rows, expected)
end)

test("its Lua can be loaded, and so can that of the help", function()
  local blocks = 0
  local function load(code)
    blocks = blocks + 1
    -- A table is part of another one, as the spec of a plugin.
    local ok = loadstring(code) or loadstring("return " .. code) or loadstring("return {" .. code .. "}")
    assert(ok, "no Lua: " .. code)
  end
  for code in readme:gmatch("```lua\n(.-)```") do
    load(code)
  end
  for code in help:gmatch(">lua\n(.-)\n[<%S]") do
    load(code)
  end
  assert(blocks > 10, blocks .. " blocks")
end)

-- As long as the project has no public address. When it has one it goes into release/artifact, and the README and the
-- help get lines that install from there.
test("what it says how to install names no repository that is another plugin's", function()
  for _, text in ipairs({ readme, help }) do
    equal(text:match("[%w.-]+/botglue%.nvim[^%w]*%.git") or text:match("github%.com/[%w-]+/botglue"), nil)
    equal(text:match('"[%w-]+/botglue%.nvim"'), nil)
  end
  suite.contains(readme, "~/botglue.nvim")
end)
