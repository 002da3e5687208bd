//! The deadlines of connections, which are not for operators to set.

use std::time::Duration;

/// The deadlines of connections.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// How long a connection may be silent before its first byte.
    pub first_byte: Duration,
    /// How long a connection may be silent between two requests, and until a request's headers end.
    pub silence: Duration,
    /// How long a client may read nothing of a response.
    pub stall: Duration,
    /// How long a TLS handshake may take.
    pub handshake: Duration,
    /// How long a connection may be idle before it gives way to a new one, so that a new client can send its request, and a
    /// flood of connections closes no more than one a second for each that is open.
    pub grace: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            stall: Duration::from_secs(30),
            handshake: Duration::from_secs(10),
            grace: Duration::from_secs(1),
        }
    }
}
