-- What happens in the demo: what is selected, asked and typed, and how fast the recorded answers play.

return {
  file = "src/stock.rs",

  -- Each selects the function of that name. A recorded answer takes `ms`: they come in another order than the
  -- questions.
  jobs = {
    { name = "load", prompt = "return errors instead of panicking", ms = 2700 },
    { name = "total", prompt = "use an iterator", ms = 1000 },
    { name = "report", prompt = "say so when there is nothing", ms = 1900 },
  },

  -- `keys` lead to the place; `above` is the function that the lines go above (none: the end of the file). All
  -- three places touch a range that an agent is at work on.
  typing = {
    {
      above = "total",
      keys = "/^pub fn total<CR>O",
      lines = { "/// How many things there are, of all kinds together." },
    },
    {
      above = "load",
      keys = "/^pub fn load<CR>O",
      lines = { "/// Reads a file with one `name = count` a line." },
    },
    { keys = "Go", lines = { "", "#[cfg(test)]", "mod tests;" } },
  },
  key_ms = 16,
}
