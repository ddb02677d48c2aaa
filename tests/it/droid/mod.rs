//! The main job with the real Droid CLI, asking a Messages API on loopback whose answers the tests write.

mod answers;
mod failures;
mod killed;
mod prewarmed;
mod sessions;
