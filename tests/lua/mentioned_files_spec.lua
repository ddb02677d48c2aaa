-- The files that a prompt mentions go along to an agent that cannot read files.

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

--- A child in a project with some files.
---@param files table<string, string>
---@param bytes integer?
local function start(files, bytes)
  local nvim = child.with_host({ "one", "two" })
  nvim:lua(
    [[
      local files, bytes = ...
      local root = vim.fn.tempname()
      vim.fn.mkdir(root .. "/.git", "p")
      for name, text in pairs(files) do
        vim.fn.mkdir(vim.fs.dirname(root .. "/" .. name), "p")
        local file = assert(io.open(root .. "/" .. name, "wb"))
        file:write(text)
        file:close()
      end
      _G.root = root
      vim.cmd("silent edit " .. root .. "/main.txt")
      require("botglue").setup({
        agents = { plain = { protocol = "text", command = "cat" } },
        context = { bytes = bytes },
      })
    ]],
    files,
    bytes
  )
  return nvim
end

--- The files that go along with a prompt.
local function along(nvim, prompt, agent)
  nvim:lua(
    [[
      local prompt, agent = ...
      require("botglue").run({
        prompt = prompt, agent = agent, range = { kind = "insert", first = { 1 } },
      })
    ]],
    prompt,
    agent or "plain"
  )
  local sent
  nvim:eventually("it is sent", "return #require('support.host').received('run') > 0")
  sent = nvim:host("received", "run")
  return sent[#sent].files
end

test("each once, in their order, with what is not saved", function()
  local nvim = start({ ["a.txt"] = "local a\n", ["src/b c.txt"] = "local b\r\nlocal c\r\n" })
  nvim:lua([[
    local bufnr = vim.fn.bufadd(root .. "/a.txt")
    vim.fn.bufload(bufnr)
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { "unsaved", "a" })
  ]])
  equal(along(nvim, [[as in @"src/b c.txt", (@a.txt) and @a.txt, not me@a.txt]]), {
    { name = "src/b c.txt", text = "local b\nlocal c" },
    { name = "a.txt", text = "unsaved\na" },
  })
end)

test("none to an agent that reads files itself", function()
  local nvim = start({ ["a.txt"] = "local a\n" })
  equal(along(nvim, "as in @a.txt", "claude"), nil)
end)

test("no more than the option says, cut after a line", function()
  local nvim = start({ ["a.txt"] = "12345\n78901\n", ["b.txt"] = "123456\n" }, 20)
  equal(along(nvim, "@a.txt @b.txt @a.txt"), {
    { name = "a.txt", text = "12345\n78901" },
    { name = "b.txt", text = "123456" },
  })
  nvim = start({ ["a.txt"] = "12345\n78901\n", ["b.txt"] = "123456\n" }, 10)
  equal(along(nvim, "@a.txt @b.txt"), {
    { name = "a.txt", text = "12345\n[cut here: the file has 12 bytes, these are its first 6]" },
    { name = "b.txt", text = "[cut here: the file has 7 bytes, these are its first 0]" },
  })
end)

test("nothing that is no text of the project", function()
  local nvim = start({ ["a.bin"] = "a\0b", ["a.txt"] = "a" })
  nvim:lua([[
    vim.fn.writefile({ "secret" }, root .. ".secret")
    vim.uv.fs_symlink(root .. ".secret", root .. "/link.txt")
    _G.outside = vim.fs.basename(root .. ".secret")
  ]])
  local outside = nvim:lua("return outside")
  equal(along(nvim, "@a.bin @link.txt @../" .. outside .. " @nothing @.git @ @/etc/passwd @a.txt"), {
    { name = "a.txt", text = "a" },
  })
end)
