//! The command `conformance`.

fn main() {}
