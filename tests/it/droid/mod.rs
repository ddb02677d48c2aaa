//! Sessions of the real Droid CLI. `clis` has what it shares with Claude.

mod sessions;
