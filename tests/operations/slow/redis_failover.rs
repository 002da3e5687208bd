//! Redis with Sentinel, real ones: the server of the shared limits is killed, its replica is promoted, and the servers count
//! together there. In between each counts by itself.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use itinerary_tests::program::free_address;
use tempfile::TempDir;

use crate::redis::Redis;
use crate::servers::Servers;

/// How long a promotion may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

const PASSWORD: &str = "Sesame";

/// A Sentinel, which ends when dropped.
struct Sentinel {
    port: String,
    child: Child,
    _folder: TempDir,
}

impl Sentinel {
    fn start(watched: &Redis) -> Self {
        let port = free_address().rsplit(':').next().expect("a port").to_owned();
        let folder = TempDir::new().expect("a folder");
        let settings = folder.path().join("sentinel.conf");
        let text = format!(
            "port {port}\nbind 127.0.0.1\nsentinel monitor counters 127.0.0.1 {} 1\nsentinel auth-pass counters {PASSWORD}\n\
             sentinel down-after-milliseconds counters 500\nsentinel failover-timeout counters 5000\n",
            watched.port()
        );
        fs::write(&settings, text).expect("the settings are written");
        let mut command = Command::new("redis-server");
        command.arg(&settings).arg("--sentinel").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { port, child: command.spawn().expect("Sentinel starts"), _folder: folder }
    }

    /// Waits for a line in what it says of the watched server.
    fn wait(&self, line: &str) {
        let began = Instant::now();
        loop {
            let mut command = Command::new("redis-cli");
            command.args(["-p", &self.port, "SENTINEL", "MASTER", "counters"]);
            let output = command.output().expect("redis-cli runs");
            let said = String::from_utf8_lossy(&output.stdout).lines().collect::<Vec<_>>().join(" ");
            if said.contains(line) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{said}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a read is counted in this server.
async fn expect_counted(servers: &Servers, redis: &Redis, token: &str) -> Duration {
    let began = Instant::now();
    while !redis.run(&["-a", PASSWORD, "KEYS", "itinerary:calls:*"]).contains("itinerary:calls") {
        assert!(began.elapsed() < PATIENCE, "not counted together: {:?}", servers.log(0));
        for response in servers.reads(token).await {
            assert!(response.status == 200 || response.status == 429, "{}", response.text());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_follow_what_sentinel_promotes() {
    let secret = ["--requirepass", PASSWORD, "--masterauth", PASSWORD];
    let Some(first) = Redis::start(&secret) else { return };
    let follow = format!("127.0.0.1 {}", first.port());
    let Some(second) = Redis::start(&[&secret[..], &["--replicaof", &follow]].concat()) else { return };
    let sentinel = Sentinel::start(&first);
    sentinel.wait("num-slaves 1");
    // Nobody listens at the first Sentinel's address.
    let addresses = format!("127.0.0.1:1,127.0.0.1:{}", sentinel.port);
    let url = format!("redis+sentinel://:{PASSWORD}@{addresses}/counters");
    let flags = ["--limits", &url, "--limits-timeout", "1000", "--limits-unavailable", "allow"];
    let Some(mut servers) = Servers::start_with(2, first, &flags).await else { return };
    let token = servers.traveller("ana").await;
    expect_counted(&servers, &servers.redis, &token).await;
    servers.redis.kill();
    let killed = Instant::now();
    // It refuses this until it is promoted. Afterwards it has no counts of the first one.
    while !second.run(&["-a", PASSWORD, "FLUSHALL"]).contains("OK") {
        assert!(killed.elapsed() < PATIENCE, "it is not promoted");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    expect_counted(&servers, &second, &token).await;
    eprintln!("counted together {:?} after the kill", killed.elapsed());
    for server in [0, 1] {
        let log = servers.log(server).join("\n");
        assert!(log.contains("this server counts by itself") && !log.contains(PASSWORD), "{log}");
        assert!(log.contains(&format!("{addresses}/counters")), "{log}");
    }
}
