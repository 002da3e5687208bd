#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
compile_error!("itinerary-sdk needs TLS: enable its feature `rustls` (the default) or `native-tls`");

// The generated code refers to the hand-written types by the crate's name.
extern crate self as itinerary_sdk;

mod changes;
mod client;
mod client_builder;
mod clock;
pub mod code;
mod connection;
mod documents;
mod edit_together;
mod error;
#[rustfmt::skip]
#[allow(
    missing_docs,
    unreachable_pub,
    unused_imports,
    clippy::all,
    clippy::pedantic,
    rustdoc::all,
    reason = "generated from the document, whose descriptions it repeats"
)]
mod generated;
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic, reason = "generated from the document, whose descriptions it repeats")]
pub mod groups;
pub mod guide;
mod hooks;
mod imports;
mod keeper;
mod lists;
mod moment;
mod nullable;
mod open;
mod pages;
mod paths;
pub mod prelude;
mod regions;
mod retry;
#[cfg(feature = "sealing")]
mod sealing;
mod session;
mod shorthand;
mod sign_in;
mod tokens;
mod update_with;
mod versioned;
#[cfg(feature = "webhooks")]
pub mod webhooks;

/// The encryption library of [`Seal`] and [`Unseal`], in the version that this crate uses.
#[cfg(feature = "sealing")]
pub use age;
pub use changes::{ChangeFeed, FeedChange, FeedError};
pub use client_builder::ClientBuilder;
pub use clock::{Clock, SystemClock};
pub use connection::BuildError;
pub use documents::{Download, FileSource, Progress, UploadDetails};
pub use edit_together::EditError;
pub use error::{ApiError, Error, ErrorExt};
/// For the streams of [`Paged`].
pub use futures::TryStreamExt;
pub use generated::{ByteStream, Client, ClientInfo, ResponseValue, builder, types};
pub use imports::{ImportFile, ImportOptions, Imports};
pub use keeper::TokenError;
pub use moment::{DateInput, TimeInput};
pub use nullable::Nullable;
pub use open::Open;
pub use pages::Paged;
pub use regions::Regions;
pub use retry::{Retry, RetryReason, RetryTimer, SystemTimer};
#[cfg(feature = "sealing")]
pub use sealing::{Seal, SealingError, Unseal};
pub use session::Session;
pub use sign_in::{SignIn, SignInError, open_browser};
pub use tokens::{FileTokenStore, MemoryTokenStore, TokenStore, Tokens};
pub use uuid::Uuid;
pub use versioned::{Created, IfMatch, Versioned};
/// Dates and times, and the ids of itineraries, in the versions that this crate uses.
pub use {chrono, uuid};
