//! The sign-in flow driven from end to end without HTTP: a service on a fresh database with a clock that is moved by
//! hand, a program, and a browser that keeps cookies.

mod flow;
mod pages;
mod refusals;
mod reuse;
mod world;
