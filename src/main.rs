//! The command line of the host.

fn main() {}
