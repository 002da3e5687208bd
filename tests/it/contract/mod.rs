//! The contract tests for servers in any language, applied to ours.

mod mutants;
mod mutation;
mod proxy;
