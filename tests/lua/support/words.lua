--- Words as the host sends them, for specs that draw a job without a host.

require("botglue.host.connection").words = {
  agents = {},
  reasons = {
    conflict = { held = "you changed these lines meanwhile" },
    range_lost = { held = "its place is not known" },
    buffer_gone = { held = "its buffer was closed" },
  },
  landings = {
    applied = { words = "landed" },
    merged = { words = "landed, merged with your changes" },
    unchanged = { words = "unchanged", why = "the answer equals the text" },
  },
  actions = {},
  states = {
    queued = "queued, number %d",
    retry = "%s, try %d of %d",
    retry_in = "%s in %ds",
    ready = "ready: lands when you have finished",
  },
}
