//! Where the Redis or Valkey server of the shared limits is: at an address, or where Sentinel says.

use std::fmt::{self, Debug, Formatter};
use std::str::FromStr;
use std::sync::Arc;

use redis::io::tcp::TcpSettings;
use redis::sentinel::{Sentinel, SentinelNodeConnectionInfo};
use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisConnectionInfo, RedisError, TlsMode};
use tokio::sync::Mutex;
use url::Url;

/// Sentinel's port, unless an address has another one.
const SENTINEL_PORT: u16 = 26379;

const SCHEME: &str = "must start with redis://, rediss://, redis+sentinel:// or rediss+sentinel://";
const ONE: &str = "must be redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER]";
const SENTINELS: &str =
    "must be redis+sentinel://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]/SERVICE[/NUMBER][?sentinel_password=…]";

/// The address of a Redis or Valkey server, and how to sign in there. Does not show the password.
#[derive(Clone)]
pub struct CounterServer(Place);

#[derive(Clone)]
enum Place {
    At(ConnectionInfo),
    Sentinels(Sentinels),
}

/// Sentinels, and the servers that they watch.
#[derive(Clone)]
struct Sentinels {
    addresses: Vec<ConnectionInfo>,
    service: String,
    server: SentinelNodeConnectionInfo,
}

impl FromStr for CounterServer {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once("://") {
            Some(("redis" | "rediss", _)) => {
                let info = text.into_connection_info().map_err(|_| ONE)?;
                Ok(Self(Place::At(info.set_tcp_settings(tcp()))))
            }
            Some(("redis+sentinel", rest)) => {
                sentinels(rest, false).map(|it| Self(Place::Sentinels(it))).ok_or(SENTINELS)
            }
            Some(("rediss+sentinel", rest)) => {
                sentinels(rest, true).map(|it| Self(Place::Sentinels(it))).ok_or(SENTINELS)
            }
            _ => Err(SCHEME),
        }
    }
}

/// Requests that arrive together are sent together anyway. A request must not wait for others.
fn tcp() -> TcpSettings {
    TcpSettings::default().set_nodelay(true)
}

/// Reads what follows the scheme. The library reads addresses of one host, so each host gets one.
fn sentinels(rest: &str, tls: bool) -> Option<Sentinels> {
    let (authority, path) = rest.split_once('/')?;
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (format!("{user}@"), hosts),
        None => (String::new(), authority),
    };
    // A part of a password that is not encoded must not be taken for anything else.
    if path.contains('@') {
        return None;
    }
    let scheme = if tls { "rediss" } else { "redis" };
    // The hosts are checked one by one below.
    let url = Url::parse(&format!("{scheme}://{user}host/{path}")).ok()?;
    let mut segments = url.path_segments()?;
    let service = percent_decoded(segments.next()?)?;
    let number = segments.next().unwrap_or_default();
    if service.is_empty() || segments.next().is_some() || url.fragment().is_some() {
        return None;
    }
    let server = format!("{scheme}://{user}host/{number}").into_connection_info().ok()?;
    let mut own = RedisConnectionInfo::default();
    for (name, value) in url.query_pairs() {
        own = match &*name {
            "sentinel_user" => own.set_username(&*value),
            "sentinel_password" => own.set_password(&*value),
            _ => return None,
        };
    }
    let address = |host: &str| {
        let info = format!("{scheme}://{host}").into_connection_info().ok()?;
        let addr = match info.addr().clone() {
            ConnectionAddr::Tcp(name, _) if !has_port(host) => ConnectionAddr::Tcp(name, SENTINEL_PORT),
            ConnectionAddr::TcpTls { host: name, insecure, tls_params, .. } if !has_port(host) => {
                ConnectionAddr::TcpTls { host: name, port: SENTINEL_PORT, insecure, tls_params }
            }
            addr => addr,
        };
        let is_plain = !host.contains(['@', '/', '?', '#']);
        is_plain.then(|| info.set_addr(addr).set_redis_settings(own.clone()).set_tcp_settings(tcp()))
    };
    let addresses = hosts.split(',').map(address).collect::<Option<Vec<_>>>()?;
    let mut node = SentinelNodeConnectionInfo::default()
        .set_redis_connection_info(server.redis_settings().clone())
        .set_tcp_settings(tcp());
    if tls {
        node = node.set_tls_mode(TlsMode::Secure);
    }
    Some(Sentinels { addresses, service, server: node })
}

fn has_port(host: &str) -> bool {
    host.rsplit_once(':').is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn percent_decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// Host and port; of Sentinels, all of them and the service.
impl fmt::Display for CounterServer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::At(info) => fmt::Display::fmt(info.addr(), f),
            Place::Sentinels(Sentinels { addresses, service, .. }) => {
                let addresses: Vec<_> = addresses.iter().map(|info| info.addr().to_string()).collect();
                write!(f, "{}/{service}", addresses.join(","))
            }
        }
    }
}

impl Debug for CounterServer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Finds the server whenever it is connected to.
pub(super) enum Finder {
    At(Client),
    /// It keeps its connections to the Sentinels.
    Sentinels {
        sentinel: Arc<Mutex<Sentinel>>,
        service: String,
        server: SentinelNodeConnectionInfo,
    },
}

impl Finder {
    pub(super) fn new(server: &CounterServer) -> Self {
        match server.0.clone() {
            Place::At(info) => Self::At(Client::open(info).expect("the address has been parsed")),
            Place::Sentinels(Sentinels { addresses, service, server }) => {
                let sentinel = Sentinel::build(addresses).expect("the addresses have been parsed");
                Self::Sentinels { sentinel: Arc::new(Mutex::new(sentinel)), service, server }
            }
        }
    }

    /// The server's client. Sentinel's answer is checked: the server says itself that it accepts writes.
    pub(super) async fn client(&self) -> Result<Client, RedisError> {
        match self {
            Self::At(client) => Ok(client.clone()),
            Self::Sentinels { sentinel, service, server } => {
                sentinel.lock().await.async_master_for(service, Some(server)).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_counters_show_no_password() {
        for (text, shown) in [
            ("redis://127.0.0.1", "127.0.0.1:6379"),
            ("redis://:Sesame@counters.example:7000/3", "counters.example:7000"),
            ("rediss://itinerary:Sesame@counters.example", "counters.example:6379"),
            ("redis+sentinel://a.example/counters", "a.example:26379/counters"),
            (
                "rediss+sentinel://itinerary:Sesame@a,b:26380,10.0.0.3/counters/2?sentinel_password=Sesame",
                "a:26379,b:26380,10.0.0.3:26379/counters",
            ),
        ] {
            let server: CounterServer = text.parse().expect(text);
            assert_eq!((server.to_string(), format!("{server:?}")), (shown.to_owned(), shown.to_owned()));
        }
        for text in [
            "redis://",
            "redis://host:Sesame/",
            "redis://host/Sesame",
            "http://host",
            "host:6379",
            "",
            "redis+sentinel://host",
            "redis+sentinel://host/",
            "redis+sentinel:///counters",
            "redis+sentinel://a,,b/counters",
            "redis+sentinel://a,b:Sesame/counters",
            "redis+sentinel://a/counters/Sesame",
            "redis+sentinel://a/counters/1/Sesame",
            "redis+sentinel://a/counters?password=Sesame",
            "redis+sentinel://user:Sesame/x@a/counters",
        ] {
            let error = text.parse::<CounterServer>().expect_err(text);
            assert!(error.starts_with("must ") && !error.contains("Sesame"), "{text}: {error}");
        }
    }

    #[test]
    fn sentinels_and_servers_sign_in_separately() {
        let text = "redis+sentinel://itinerary:p%2Fq@a/counters/2?sentinel_user=watch&sentinel_password=r%26s";
        let CounterServer(Place::Sentinels(Sentinels { addresses, .. })) = text.parse().expect("good") else {
            panic!("they are Sentinels")
        };
        let [sentinel] = &addresses[..] else { panic!("there is one") };
        let settings = sentinel.redis_settings();
        assert_eq!((settings.username(), settings.password(), settings.db()), (Some("watch"), Some("r&s"), 0));
    }
}
