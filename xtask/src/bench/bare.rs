//! The baseline: a hyper server that sends one recorded response to every request.
//!
//! HTTP/1.1 with keep-alive on the same runtime as the real server. It drains each request's body and parses nothing.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::Result;
use super::fill::BenchResponse;

/// The hidden subcommand, for the benchmark only.
pub(crate) const NAME: &str = "bench-bare";

/// Headers that hyper adds itself.
const WRITTEN_BY_HYPER: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];

/// Options of the hidden `cargo xtask bench-bare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File with the response to repeat
    answer: PathBuf,
}

/// Prints its address as the first line, then serves until it is killed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let answer: BenchResponse = serde_json::from_slice(&std::fs::read(&args.answer)?)?;
    let response = prepare(&answer)?;
    tokio::runtime::Runtime::new()?.block_on(serve(response))
}

/// The response, cheap to clone for each request.
fn prepare(answer: &BenchResponse) -> Result<Response<Full<Bytes>>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body.clone())));
    *response.status_mut() = StatusCode::from_u16(answer.status)?;
    let mut headers = HeaderMap::new();
    for (name, value) in &answer.headers {
        if !WRITTEN_BY_HYPER.contains(&name.as_str()) {
            headers.append(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
        }
    }
    *response.headers_mut() = headers;
    Ok(response)
}

async fn serve(response: Response<Full<Bytes>>) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let response = response.clone();
        tokio::spawn(async move {
            let answer = service_fn(|request: Request<Incoming>| {
                let response = response.clone();
                async move {
                    let mut body = request.into_body();
                    while let Some(Ok(_)) = body.frame().await {}
                    Ok::<_, Infallible>(response)
                }
            });
            // wrk closes its connections at the end.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_repeated_but_for_what_hyper_writes() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers = vec![pair("etag", "\"v1.m\""), pair("date", "Mon"), pair("vary", "a"), pair("vary", "b")];
        let answer = BenchResponse { status: 201, headers, body: "{}".to_owned() };
        let response = prepare(&answer).expect("a response");
        assert_eq!(response.status(), 201);
        assert_eq!(response.headers().len(), 3);
        assert!(!response.headers().contains_key("date"));
        assert!(prepare(&BenchResponse { status: 1, ..answer }).is_err());
    }
}
