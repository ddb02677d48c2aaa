//! The fuzzer of `botglue serve`, which `make fuzz` runs for a minute. That of the streams is `properties`, with more
//! cases than in `make test`.

mod messages;
mod rpc;
