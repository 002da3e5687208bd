#![doc = include_str!("../README.md")]

// The generated code names the hand-written types by the crate's own name.
extern crate self as itinerary_sdk;

mod client;
mod clock;
pub mod code;
mod error;
#[rustfmt::skip]
#[allow(
    missing_docs,
    unreachable_pub,
    unused_imports,
    clippy::all,
    clippy::pedantic,
    rustdoc::all,
    reason = "generated from the document, which has the words; it is regenerated, never edited"
)]
mod generated;
mod hooks;
mod keeper;
mod nullable;
mod open;
mod pages;
mod session;
mod sign_in;
mod tokens;
mod versioned;

pub use client::{BuildError, ClientBuilder};
pub use clock::{Clock, SystemClock};
pub use error::{ApiError, ErrorExt};
pub use generated::{ByteStream, Client, ClientInfo, Error, ResponseValue, builder, types};
pub use keeper::TokenError;
pub use nullable::Nullable;
pub use open::Open;
pub use pages::{ListRequest, Paged};
pub use session::Session;
pub use sign_in::{SignIn, SignInError, open_browser};
pub use tokens::{FileTokenStore, MemoryTokenStore, TokenStore, Tokens};
pub use versioned::{Created, Versioned};
