//! What the real Claude CLI alone can do: sessions that go back, and their price. `clis` has what it shares with Droid.

mod price;
mod sessions;
