-- Named prompts: `/name` on the command line, in the prompt and from Lua.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local PROMPTS = [[require("botglue").setup({
  max_parallel = 10,
  agents = { mine = { protocol = "text", command = { "mine" }, model = "m1" } },
  prompts = {
    explain = { prompt = "explain this {filetype}", ask = true },
    fix = "fix these:\n{diagnostics}\nin {selection}, not {this}",
    mine = { prompt = "do it", agent = "mine", model = "m2" },
    opus = { prompt = "think", model = "opus" },
  },
})]]

local function start()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua(PROMPTS)
  nvim:lua("vim.bo.filetype = 'text'")
  return nvim
end

local function said(nvim, command)
  nvim:type(":messages clear<CR>:" .. command .. "<CR>")
  return nvim:messages()
end

test("a named prompt is filled in when it is sent, and stays what was typed", function()
  local nvim = start()
  nvim:lua([[
    vim.diagnostic.set(vim.api.nvim_create_namespace("spec"), 0, {
      { lnum = 1, col = 0, message = "no number", severity = 1 },
      { lnum = 0, col = 0, message = "elsewhere", severity = 2 },
    })
  ]])
  nvim:type(":2Botglue run /fix but  briefly<CR>")
  contains(nvim:message(1), "fix these:\nline 2: error: no number\nin two, not {this}\n\nbut  briefly")
  equal({ nvim:job(1).prompt, nvim:job(1).agent }, { "/fix but  briefly", "claude" })
  nvim:type(":3Botglue run /fix<CR>")
  contains(nvim:message(2), "fix these:\nno diagnostics\nin three, not {this}")
  nvim:type(":1Botglue run \\/fix<CR>")
  contains(nvim:message(3), "\n/fix\n", "the words themselves")
end)

test("it may ask, and have an agent and a model, unless others are asked for", function()
  local nvim = start()
  local rows = {
    { "run /explain", { "claude", false } },
    { "run /mine", { "mine", "m2" } },
    { "run ++model=m3 /mine", { "mine", "m3" } },
    { "run ++agent=mine /opus", { "mine", "m1" } },
  }
  for i, row in ipairs(rows) do
    nvim:type(":2Botglue " .. row[1] .. "<CR>")
    local job = nvim:job(i)
    equal({ job.agent, job.model or false }, row[2], row[1])
  end
  contains(nvim:message(1), "explain this text")
  nvim:answer(1, { "because" })
  equal(nvim:outcome(1), { "done", "answered" })
end)

test("the same from Lua, and a retry fills it in with what there is then", function()
  local nvim = start()
  nvim:run(child.line(2), { prompt = "/fix" })
  nvim:answer(1, { "TWO" })
  nvim:type(":Botglue retry 1<CR>")
  contains(nvim:message(2), "fix these:\nno diagnostics\nin TWO, not {this}")
  nvim:run(child.line(2), { prompt = "/fxi" })
  nvim:host("ended", 3)
  contains(nvim:job(3).error.message, "no prompt /fxi: did you mean /fix?")
end)

test("each takes one that changes text", function()
  local nvim = start()
  nvim:lua("vim.fn.setqflist({ { bufnr = 1, lnum = 2, text = 'x' } })")
  contains(said(nvim, "Botglue each /explain"), "this prompt asks a question")
  nvim:type(":Botglue each /opus<CR>")
  contains(nvim:message(1), "\nthink\n")
end)

test("the prompt offers them at its beginning, and keeps one that is not there", function()
  local nvim = start()
  nvim:type(":2Botglue<CR>/")
  nvim:type("m")
  nvim:eventually("one is left", "return #vim.fn.complete_info({ 'items' }).items == 1")
  nvim:type("<C-y> now<C-s>")
  local job = nvim:job(nvim:request(1).id)
  equal({ job.prompt, job.agent, job.model }, { "/mine now", "mine", "m2" })
  nvim:answer(1, { "A" })
  nvim:type(":Botglue retry ++agent=claude 1<CR>")
  equal(nvim:job(nvim:request(2).id).agent, "claude", "another try is another agent's all the same")

  nvim:type(":3Botglue<CR>/mien<C-s>")
  nvim:shows("no prompt /mien: did you mean /mine?")
  equal(nvim:lines(), { "/mien" })
end)

test("a wrong option is one error that names it", function()
  local nvim = child.start()
  local rows = {
    { "fix", "botglue: option prompts must be a table" },
    { { fix = 1 }, "botglue: option prompts.fix must be a text, or a table" },
    { { ["a b"] = "x" }, "botglue: option prompts.a b must have a name of letters, digits, _ and -" },
    { { fix = { ask = true } }, "botglue: option prompts.fix.prompt must be a text with a word, got nil" },
    { { fix = { prompt = "x", agent = "none" } }, 'botglue: option prompts.fix.agent: unknown agent "none"' },
  }
  for _, row in ipairs(rows) do
    local setup = "return tostring(select(2, pcall(require('botglue').setup, ...)))"
    contains(nvim:lua(setup, { prompts = row[1] }), row[2])
  end
  nvim:lua("require('botglue').setup({ prompts = { fix = { prompt = 'x', aks = true } } })")
  contains(nvim:messages(), "there is no option prompts.fix.aks")
end)
