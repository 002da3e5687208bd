//! A server on 127.0.0.1 that is not ours, with scripted answers.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// An answer: status and body. `None` never answers.
pub(super) type Script = dyn Fn(&str) -> Option<(u16, Vec<u8>)> + Send + Sync;

/// The server, which stops when dropped.
pub(super) struct Stub {
    pub(super) url: String,
    task: JoinHandle<()>,
}

impl Stub {
    /// A server whose answers depend on the request's path and query.
    pub(super) async fn start(script: impl Fn(&str) -> Option<(u16, Vec<u8>)> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let script: Arc<Script> = Arc::new(script);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&script)));
            }
        });
        Self { url, task }
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut connection: TcpStream, script: Arc<Script>) -> Option<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        head.push(connection.read_u8().await.ok()?);
    }
    let line = String::from_utf8_lossy(&head);
    let path = line.split(' ').nth(1)?.to_owned();
    let Some((status, body)) = script(&path) else { return std::future::pending().await };
    let kind = if body.starts_with(b"{") { "application/json" } else { "text/html" };
    let head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\netag: \"v1.m\"\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        body.len(),
    );
    connection.write_all(&[head.as_bytes(), &body].concat()).await.ok()
}
