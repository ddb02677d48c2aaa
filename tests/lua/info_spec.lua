local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local DAY = 24 * 3600 * 1000

--- A child with the real host and the store of these jobs, as `support.journal` takes them, which ended days ago.
local function with_store(jobs)
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua(
    [[
      local jobs, day = ...
      for i, job in ipairs(jobs) do
        job.uuid = "uuid-" .. i
        job.ended_ms = os.time() * 1000 - job.days * day
        job.project = job.project or vim.fn.getcwd()
        job.landing = job.landing or not job.error and "applied"
      end
      require("support.journal").write(jobs)
    ]],
    jobs,
    DAY
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

local JOBS = {
  { days = 3, project = "/elsewhere", cost_usd = 41.26, duration_ms = 1200000 },
  { days = 4, model = "gpt-5", agent = "droid", session_id = "s-1", landing = "rejected", duration_ms = 500 },
  { days = 2, session_id = "s-1", error = { "timeout", "too long" }, lines = false, cost_usd = 0.25 },
  { days = 40, model = "sonnet", cost_usd = 2, duration_ms = 1000, input_tokens = 5 },
}
JOBS[1].input_tokens, JOBS[1].output_tokens = 1000, 500
JOBS[1].cache_read_tokens, JOBS[1].cache_creation_tokens = 4000, 2000
JOBS[3].input_tokens, JOBS[3].output_tokens = 100, 10
JOBS[3].cache_read_tokens, JOBS[3].duration_ms = 900, 91000

test("the sums, by model and by agent; what is not known is a dash", function()
  local nvim = with_store(JOBS)
  open(nvim)
  equal(shown(nvim), {
    "by scope jobs landed held failed tokens in/out cost time",
    "this project 3 1 0 1 1k / 10 $2.25 1m32s",
    "today 0 0 0 0 – – –",
    "last 30 days 3 1 0 1 8k / 510 $41.51 21m31s",
    "all time 4 2 0 1 8k / 510 $43.51 21m32s",
    "",
    "by model jobs tokens in/out share cost",
    "opus 2 8k / 510 95 % $41.51",
    "sonnet 1 5 / 0 5 % $2.00",
    "gpt-5 1 0 / 0 – –",
    "",
    "by agent jobs tokens in/out share cost",
    "claude 3 8k / 510 100 % $43.51",
    "droid 1 0 / 0 – –",
  })
  contains(nvim:screen(), "61 % of input tokens were cached")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
end)

test("cost that no agent tells is a dash, also in all", function()
  local job =
    { days = 0, agent = "droid", model = "", input_tokens = 1000, output_tokens = 10, duration_ms = 1000 }
  local nvim = with_store({ job, job })
  open(nvim)
  equal(shown(nvim)[2], "this project 2 2 0 0 2k / 20 – 2s")
  equal(shown(nvim)[#shown(nvim)], "droid 2 2k / 20 – –")
  equal(nvim:screen():find("$", 1, true), nil)
end)

test("the session is that of the range under the cursor, else of the newest job", function()
  local nvim = with_store(JOBS)
  open(nvim)
  nvim:type("q")
  for i = 1, 2 do
    nvim:run({ kind = "line", first = { i }, last = { i } })
    nvim:agent(i, "begin", { session_id = "s-" .. i })
    nvim:eventually("its session is known", "return require('botglue').job(...).session_id", i)
  end
  for _, at in ipairs({
    { "1", "this session 1 0 0 1" },
    { "2", "this session 0" },
    { "3", "this session 0" },
  }) do
    nvim:type(at[1] .. "G")
    open(nvim)
    contains(shown(nvim)[2], at[2])
    nvim:type("q")
  end
end)

test("a store that cannot be read is one line, and no window", function()
  local nvim = with_store({})
  nvim:lua([[
    local file = vim.fn.tempname()
    vim.fn.writefile({ "no folder" }, file)
    require("botglue").setup({ data_dir = file })
  ]])
  nvim:type(":Botglue info<CR>")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('File exists') ~= nil")
  contains(nvim:messages(), "botglue: the store cannot be written (")
  equal(#nvim:api("list_wins"), 1)
end)

test("in a narrow window jobs and cost are left", function()
  local nvim = with_store(JOBS)
  nvim:api("ui_try_resize", 40, 12)
  open(nvim)
  equal(vim.list_slice(shown(nvim), 1, 2), { "by scope jobs cost", "this project 3 $2.25" })
  nvim:api("ui_try_resize", 80, 24)
  nvim:eventually("it is wide again", "return vim.fn.getline(1):find('landed') ~= nil")
end)
