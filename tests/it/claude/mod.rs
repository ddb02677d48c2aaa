//! The main job with the real Claude CLI: what lands, what its tools did, what each failure leaves behind.
//!
//! The CLI talks to a Messages API on loopback whose answers the tests write; nothing else is made up.

mod answers;
mod failures;
mod killed;
mod prewarmed;
mod price;
mod sessions;
