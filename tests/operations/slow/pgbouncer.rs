//! PgBouncer in transaction mode between two servers and PostgreSQL, with fewer connections than the servers use.
//!
//! Skipped where it is not installed, unless `ITINERARY_REQUIRE_PGBOUNCER=1`.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, free_address, succeed, words};
use itinerary_tests::sql::Connection;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, Postgres};
use reqwest::Method;
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::load::Load;

const PATIENCE: Duration = Duration::from_secs(20);

/// The smallest account that may run it if we are root, because PgBouncer refuses to run as root.
const USER: &str = "nobody";

fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    let program = folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file());
    let required = std::env::var_os("ITINERARY_REQUIRE_PGBOUNCER").is_some_and(|value| value == "1");
    assert!(program.is_some() || !required, "ITINERARY_REQUIRE_PGBOUNCER=1, but pgbouncer is not installed");
    if program.is_none() {
        itinerary_tests::skipped("pgbouncer is not installed");
    }
    program
}

/// A running PgBouncer, which is killed when dropped.
struct Bouncer {
    program: PathBuf,
    settings: PathBuf,
    port: u16,
    child: Child,
}

impl Bouncer {
    /// In front of the cluster at this address, with three connections.
    fn start(program: PathBuf, folder: &Path, database_url: &str) -> Self {
        let port: u16 = free_address().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        let database = database_url.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect("a port");
        let settings = folder.join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={database} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = 3\nmax_client_conn = 100\nquery_wait_timeout = 5\nserver_login_retry = 1\n"
        );
        fs::write(&settings, text).expect("the settings are written");
        let child = Self::run(&program, &settings, port);
        Self { program, settings, port, child }
    }

    fn run(program: &Path, settings: &Path, port: u16) -> Child {
        let mut command = Command::new(program);
        command.arg("--quiet").arg(settings).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let folder = settings.parent().expect("it is in a folder");
        if std::os::unix::fs::MetadataExt::uid(&fs::metadata(settings).expect("the settings are there")) == 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("it is our folder");
            command.arg(format!("--user={USER}"));
        }
        let child = command.spawn().expect("pgbouncer starts");
        let began = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(began.elapsed() < PATIENCE, "pgbouncer does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    }

    fn restart(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ran");
        self.child = Self::run(&self.program, &self.settings, self.port);
    }

    /// The address of a database through it, with another host at which nobody listens.
    fn url(&self, database_url: &str) -> String {
        let name = database_url.rsplit('/').next().expect("a name");
        format!("postgres://postgres@127.0.0.1:1,127.0.0.1:{}/{name}", self.port)
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_share_a_few_connections_of_pgbouncer() {
    let Some(program) = installed() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let Some(direct) = Database::empty(Postgres, folder.path()) else { return };
    let bouncer = Bouncer::start(program, folder.path(), &direct);
    let engine = Engine::at(bouncer.url(&direct));

    // Without the setting, the server does not start on it, because its time limits would be lost.
    let refused = fail(command(words(&engine, &["migrate"]))).await;
    assert!(refused.contains("unsupported startup parameter"), "{refused}");
    assert!(refused.contains(&format!("127.0.0.1:{}", bouncer.port)), "{refused}");

    let pooled = |more: &[&str]| words(&engine, &[more, &["--database-pooler", "transaction"]].concat());
    let created = command(pooled(&["account", "create", "ana"]));
    succeed(created, &format!("{PASSWORD}\n")).await;
    let token = succeed(command(pooled(&["account", "token", "ana"])), "").await;
    let token = token.trim_end();
    let flags = ["--limits", "off", "--database-pooler", "transaction"];
    let servers = [Program::serve(&engine, &flags).await, Program::serve(&engine, &flags).await];

    let load = Load::new(&servers, token);
    let restarts = async {
        let mut bouncer = bouncer;
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_secs(2)).await;
            let restarted = spawn_blocking(move || {
                bouncer.restart();
                bouncer
            });
            bouncer = restarted.await.expect("it starts again");
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        bouncer
    };
    let (_bouncer, figures) = load.during(8, 4, restarts).await;
    eprintln!("PgBouncer restarted twice: {figures}");
    // How many depends on the machine.
    assert!(figures.acknowledged > 8, "{figures}");

    // The time limits hold: a write that waits for a lock gives up.
    let body = json!({ "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 } } });
    let create = || servers[0].call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(token).json(&body);
    let beside = Connection::open(&direct).await;
    beside.execute("BEGIN", []).await;
    beside.execute("SELECT 1 FROM accounts FOR UPDATE", []).await;
    let began = Instant::now();
    let waited = tokio::time::timeout(PATIENCE, create().send()).await.expect("it gives up");
    assert_eq!(waited.status, 502, "{}", waited.text());
    assert!(began.elapsed() > Duration::from_secs(4), "it waited for the lock: {:?}", began.elapsed());
    beside.execute("COMMIT", []).await;
    beside.close().await;
    assert_eq!(create().send().await.status, 201);
}
