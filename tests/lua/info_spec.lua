local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local function sums(jobs, cost, more)
  return vim.tbl_extend("force", {
    jobs = jobs,
    landed = jobs,
    held = 0,
    failed = 0,
    input_tokens = jobs * 100,
    output_tokens = jobs * 10,
    cache_read_tokens = jobs * 900,
    cache_creation_tokens = 0,
    cost_usd = cost,
    duration_ms = jobs * 1000,
  }, more or {})
end

--- A child in which the store answers with this, or with an error.
local function with_store(result, err)
  local nvim = child.with_scripted_host({ "one", "two", "three" })
  nvim:lua(
    "require('support.host').replies = ...",
    { info = result or { error = err }, writers = { jobs = {} } }
  )
  return nvim
end

local function open(nvim)
  nvim:type(":Botglue info<CR>")
  nvim:eventually("the sums are there", "return #vim.fn.getline(1, '$') > 1")
end

local function shown(nvim)
  return vim.tbl_map(function(row)
    return vim.trim((row:gsub("%s+", " ")))
  end, nvim:lua("return vim.fn.getline(1, '$')"))
end

--- What sums were asked for.
local function asked(nvim)
  return vim.tbl_filter(function(question)
    return question.name == "info"
  end, nvim:host("received", "query"))
end

local function sessions(nvim)
  return vim.tbl_map(function(question)
    return { question.agent or "", question.session_id or "" }
  end, asked(nvim))
end

local INFO = {
  session = sums(7, 0.31, { landed = 5, held = 1, failed = 1 }),
  project = sums(88, 4.02),
  today = { jobs = 0, landed = 0, held = 0, failed = 0, input_tokens = 0, output_tokens = 0 },
  month = sums(341, 16.4),
  all = sums(1204, 58.11),
  models = {
    {
      name = "opus",
      jobs = 1200,
      cost_usd = 41.26,
      input_tokens = 1000,
      output_tokens = 500,
      cache_read_tokens = 4000,
      cache_creation_tokens = 2000,
    },
    { name = "gpt-5", jobs = 1 },
  },
  agents = { { name = "claude", jobs = 1203, cost_usd = 58.11, input_tokens = 9000, output_tokens = 600 } },
}

test("the sums, by model and by agent; what is not known is a dash", function()
  local nvim = with_store(INFO)
  open(nvim)
  equal(shown(nvim), {
    "jobs landed held failed tokens in/out cost time",
    "this session 7 5 1 1 7k / 70 $0.31 7s",
    "this project 88 88 0 0 88k / 880 $4.02 1m28s",
    "today 0 0 0 0 – – –",
    "last 30 days 341 341 0 0 341k / 3.4k $16.40 5m41s",
    "all time 1204 1204 0 0 1.2M / 12k $58.11 20m04s",
    "",
    "by model",
    "opus 1200 jobs 7k / 500 71 % $41.26",
    "gpt-5 1 job – / – – –",
    "",
    "by agent",
    "claude 1203 jobs 9k / 600 100 % $58.11",
  })
  contains(nvim:screen(), "90 % of the tokens in: from the cache")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
end)

test("cost that no agent tells is a dash, also in all", function()
  local droid = sums(2, nil)
  droid.cost_usd = nil
  local nvim = with_store({
    project = droid,
    today = droid,
    month = droid,
    all = droid,
    models = {},
    agents = { { name = "droid", jobs = 2 } },
  })
  open(nvim)
  equal(shown(nvim)[2], "this project 2 2 0 0 2k / 20 – 2s")
  equal(shown(nvim)[#shown(nvim)], "droid 2 jobs – / – – –")
  equal(nvim:screen():find("$", 1, true), nil)
end)

test("the session is that of the range under the cursor, else of the newest job", function()
  local nvim = with_store(INFO)
  open(nvim)
  nvim:type("q")
  for i = 1, 2 do
    nvim:run({ kind = "line", first = { i }, last = { i } })
    nvim:lua("require('botglue.apply').frame({ { id = ..., session_id = 's-' .. ... } })", i)
  end
  for _, at in ipairs({ { "1", "s-1" }, { "2", "s-2" }, { "3", "s-2" } }) do
    nvim:type(at[1] .. "G")
    open(nvim)
    nvim:type("q")
  end
  equal(sessions(nvim), { { "", "" }, { "claude", "s-1" }, { "claude", "s-2" }, { "claude", "s-2" } })
  local question = asked(nvim)[1]
  equal(os.date("%H:%M:%S", question.today_ms / 1000), "00:00:00")
  equal(question.project, nvim:lua("return vim.fn.getcwd()"))
end)

test("after a restart the session is that which wrote the text under the cursor", function()
  local nvim = with_store(INFO)
  nvim:set_lines({ "local one = 1", "local two = 2", "local three = 3", "local two = 2" })
  nvim:api("buf_set_name", 0, "/project/src/config.rs")
  nvim:lua([[
    require("support.host").replies.writers = { jobs = {
      { agent = "claude", session_id = "s-9", landed_rows = { "local two = 2" } },
      { agent = "droid", session_id = "s-8", landed_rows = { "local two = 2", "local three = 3" } },
      { agent = "claude", session_id = "s-7", landed_rows = { "local one = 1", "local two = 2" } },
    } }
  ]])
  for _, line in ipairs({ "1", "2", "4" }) do
    nvim:type(line .. "G")
    open(nvim)
    nvim:type("q")
  end
  equal(sessions(nvim), { { "claude", "s-7" }, { "droid", "s-8" }, { "", "" } })
end)

test("a store that cannot be read is one line, and no window", function()
  local nvim = with_store(nil, "the store is locked by another program")
  nvim:type(":Botglue info<CR>")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('locked') ~= nil")
  contains(nvim:messages(), "botglue: the store is locked by another program")
  equal(#nvim:api("list_wins"), 1)
end)

test("in a narrow window jobs and cost are left", function()
  local nvim = with_store(INFO)
  nvim:api("ui_try_resize", 40, 12)
  open(nvim)
  equal(vim.list_slice(shown(nvim), 1, 2), { "jobs cost", "this session 7 $0.31" })
  nvim:api("ui_try_resize", 80, 24)
  nvim:eventually("it is wide again", "return vim.fn.getline(1):find('landed') ~= nil")
end)
