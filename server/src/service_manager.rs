//! Tells the service manager that the server is ready, reloads or stops: systemd's protocol for `Type=notify`, one datagram for
//! each state to the socket that `NOTIFY_SOCKET` names. Without the variable nothing is sent.
//! By hand, because the crate `sd-notify` 0.5 cannot send to an abstract address.

use std::time::Duration;

/// The service manager that started this process, if it wants to know.
#[derive(Debug, Default)]
pub(crate) struct ServiceManager {
    #[cfg(unix)]
    socket: Option<std::os::unix::net::UnixDatagram>,
}

impl ServiceManager {
    /// Connects to the socket of the environment. A failure is logged, because the service manager will wait in vain.
    #[cfg(unix)]
    pub(crate) fn of_environment() -> Self {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Self::default();
        };
        let socket = unix::connect(&name).inspect_err(|error| {
            tracing::warn!(error = error as &dyn std::error::Error, "the service manager cannot be notified");
        });
        Self { socket: socket.ok() }
    }

    #[cfg(not(unix))]
    pub(crate) fn of_environment() -> Self {
        Self::default()
    }

    /// The server accepts requests, at first or after a reload.
    pub(crate) fn ready(&self) {
        self.send("READY=1\n");
    }

    /// The server reads its files again.
    pub(crate) fn reloading(&self) {
        self.send("RELOADING=1\n");
    }

    /// The server stops, which takes at most this time.
    pub(crate) fn stopping(&self, longest: Duration) {
        self.send(&format!("STOPPING=1\nEXTEND_TIMEOUT_USEC={}\n", longest.as_micros()));
    }

    #[cfg(unix)]
    fn send(&self, state: &str) {
        if let Some(Err(error)) = self.socket.as_ref().map(|socket| socket.send(state.as_bytes())) {
            tracing::warn!(error = &error as &dyn std::error::Error, "the service manager cannot be notified");
        }
    }

    #[cfg(not(unix))]
    fn send(&self, _: &str) {}
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::io;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    /// Connects to a path, or to an abstract address, which begins with `@`.
    pub(super) fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        let address = match name.as_bytes() {
            [b'@', name @ ..] => abstract_address(name)?,
            _ => SocketAddr::from_pathname(name)?,
        };
        socket.connect_addr(&address)?;
        Ok(socket)
    }

    #[cfg(target_os = "linux")]
    fn abstract_address(name: &[u8]) -> io::Result<SocketAddr> {
        <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name)
    }

    #[cfg(not(target_os = "linux"))]
    fn abstract_address(_: &[u8]) -> io::Result<SocketAddr> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
