//! A temporary PostgreSQL cluster on loopback, for the tests and the benchmark.
//!
//! One cluster serves the whole process; each caller gets its own database. A shell, the keeper, waits on a pipe from
//! this process: however the process ends, the pipe closes, the server stops and its folder is removed. The settings
//! are PostgreSQL's defaults and the caller's: the tests give up durability for speed, the benchmark does not. It never
//! touches another cluster on the machine, and installs nothing.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::skipped;

/// The cluster's superuser, whatever account runs it.
const SUPERUSER: &str = "postgres";

/// The variable that makes it an error if the tests cannot run on PostgreSQL.
const REQUIRED: &str = "ITINERARY_REQUIRE_POSTGRES";

/// User and group id.
type UserAndGroup = (u32, u32);

/// How often starting is attempted, because another process may take the port first.
const ATTEMPTS: u32 = 5;

/// How long one start may take, in polls of 20 ms: a minute, mostly for creating files.
const READY_POLLS: u32 = 3_000;

/// Makes the cluster and runs it until the pipe on standard input closes, then removes the folder.
///
/// Arguments: folder, folder of the programs, port, superuser, the port of the cluster to follow or nothing, then
/// settings for the server. The watcher repeats its signal, so that a server that was only just starting stops as well;
/// an immediate stop is enough, since the data goes too. A server that stops by itself leaves its log readable for as
/// long as the pipe is open, and is started again while the file `again` exists.
const KEEPER: &str = r#"
folder=$1 programs=$2 port=$3 user=$4 followed=$5
shift 5
exec 3<&0 </dev/null >"$folder/log" 2>&1
trap : QUIT
(trap '' QUIT; read -r _ <&3; : >"$folder/closed"; while :; do kill -QUIT 0; sleep 1; done) &
watcher=$!
make() {
  if [ -n "$followed" ]; then
    "$programs/pg_basebackup" --pgdata="$folder/data" --host=127.0.0.1 --port="$followed" --username="$user" \
      --write-recovery-conf --checkpoint=fast --no-sync
  else
    "$programs/initdb" --pgdata="$folder/data" --username="$user" --auth=trust --locale=C --encoding=UTF8 --no-sync
  fi
}
run() {
  "$programs/postgres" -D "$folder/data" -c listen_addresses=127.0.0.1 -c port="$port" \
    -c unix_socket_directories= -c max_connections=300 -c synchronous_commit=on \
    -c wal_level=minimal -c max_wal_senders=0 "$@"
}
if make; then
  run "$@"
  while [ -e "$folder/again" ] && [ ! -e "$folder/closed" ]; do
    rm -f "$folder/again"
    run "$@"
  done
fi
: >"$folder/stopped"
while [ ! -e "$folder/closed" ]; do sleep 1; done
kill "$watcher"
rm -rf "$folder"
"#;

/// A running cluster, which stops when this process ends.
#[derive(Debug)]
pub struct Cluster {
    /// The cluster's folder, with `data` and `log`.
    pub folder: PathBuf,
    programs: PathBuf,
    port: u16,
    /// The strategy clause of `CREATE DATABASE`.
    strategy: &'static str,
    databases: AtomicU32,
    /// Holds the write end of the keeper's pipe open.
    _keeper: Child,
}

/// Whether tests are to run on PostgreSQL too: `ITINERARY_TEST_POSTGRES=1`. If not, says so once.
fn is_wanted() -> bool {
    static IS_WANTED: OnceLock<bool> = OnceLock::new();
    *IS_WANTED.get_or_init(|| {
        let is_wanted = is_one("ITINERARY_TEST_POSTGRES");
        assert!(is_wanted || !is_one(REQUIRED), "{REQUIRED}=1, but not ITINERARY_TEST_POSTGRES=1");
        if !is_wanted {
            skipped("on PostgreSQL, because ITINERARY_TEST_POSTGRES=1 is not set");
        }
        is_wanted
    })
}

fn is_one(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

/// The process's cluster, started on first use with these settings (`name=value`), or `None` where PostgreSQL's
/// programs are not installed.
///
/// # Panics
/// When the programs are there but the cluster does not start, and when they are missing although
/// `ITINERARY_REQUIRE_POSTGRES=1` demands them.
pub fn cluster(settings: &[&str]) -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| Cluster::temporary(settings)).as_ref()
}

impl Cluster {
    /// A test's own cluster, which stops when it is dropped. Also `None` if tests are not to run on PostgreSQL. See
    /// [`cluster`].
    pub fn for_tests(settings: &[&str]) -> Option<Self> {
        if is_wanted() { Self::temporary(settings) } else { None }
    }

    fn temporary(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(!is_one(REQUIRED), "{REQUIRED}=1, but PostgreSQL's programs are not installed");
            skipped("on PostgreSQL, because its programs are not installed");
            return None;
        };
        let started = Self::start(programs, None, settings);
        Some(started.unwrap_or_else(|error| panic!("a PostgreSQL cluster for testing: {error}")))
    }

    /// Copies a database, such as `template0`, to one that nobody else has and answers its `postgres://` address.
    ///
    /// # Panics
    /// When the database cannot be created; the message has PostgreSQL's own.
    pub fn create_database(&self, template: &str) -> String {
        let name = format!("itinerary_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.psql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template}{}", self.strategy));
        format!("postgres://{SUPERUSER}@127.0.0.1:{}/{name}", self.port)
    }

    fn start(programs: PathBuf, followed: Option<u16>, settings: &[&str]) -> Result<Self, String> {
        let strategy = strategy(&programs).map_err(|error| format!("its version: {error}"))?;
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let (folder, user) = new_folder().map_err(|error| format!("its folder: {error}"))?;
            let port = free_port().map_err(|error| format!("a free port: {error}"))?;
            let mut keeper = keep(&programs, &folder, port, user, followed, settings)
                .map_err(|error| format!("its keeper: {error}"))?;
            match wait_until_ready(&folder) {
                Ok(()) => {
                    let databases = AtomicU32::new(0);
                    return Ok(Self { folder, programs, port, strategy, databases, _keeper: keeper });
                }
                Err(error) => last = format!("{error}\n{}", log_tail(&folder)),
            }
            drop(keeper.stdin.take());
            keeper.wait().map_err(|error| format!("its keeper: {error}"))?;
        }
        Err(last)
    }
}

impl Cluster {
    /// A cluster that follows this one by streaming replication. This one needs `wal_level=replica` and
    /// `max_wal_senders`.
    #[must_use]
    pub fn replica(&self) -> Self {
        let started = Self::start(self.programs.clone(), Some(self.port), &["wal_level=replica", "max_wal_senders=4"]);
        started.unwrap_or_else(|error| panic!("a replica for testing: {error}"))
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Makes a cluster that follows another one a primary. Returns when it accepts writes.
    pub fn promote(&self) {
        self.psql("postgres", "SELECT pg_promote()");
    }

    /// Executes a statement that ends by itself, as superuser.
    ///
    /// # Panics
    /// When it fails; the message has PostgreSQL's own.
    pub fn psql(&self, database: &str, statement: &str) {
        let address = format!("postgres://{SUPERUSER}@127.0.0.1:{}/{database}", self.port);
        let output = Command::new(self.programs.join("psql"))
            .args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", statement, &address])
            .stdin(Stdio::null())
            .output()
            .expect("psql runs");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{statement}: {message}\n{}", log_tail(&self.folder));
    }

    /// Kills the server like `pg_ctl stop --mode=immediate`, without a checkpoint. Returns when it has ended.
    pub fn stop(&self) {
        self.end("-QUIT");
    }

    /// Kills the server's first process, which the others notice. Returns when it has ended.
    pub fn kill(&self) {
        self.end("-KILL");
    }

    fn end(&self, signal: &str) {
        let process = self.process();
        let send = |signal: &str| {
            let sent = Command::new("kill").args([signal, &process]).stderr(Stdio::null()).status();
            sent.expect("kill runs").success()
        };
        assert!(send(signal), "it runs");
        while send("-0") {
            sleep(Duration::from_millis(5));
        }
    }

    /// Restarts it like `pg_ctl restart --mode=immediate`. Returns when it accepts connections again.
    pub fn restart(&self) {
        let before = self.process();
        fs::write(self.folder.join("again"), "").expect("the file is written");
        self.stop();
        let polls = 0..READY_POLLS;
        let is_new = |_| {
            sleep(Duration::from_millis(20));
            let state = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap_or_default();
            is_ready(&state) && !state.starts_with(&format!("{before}\n"))
        };
        assert!(polls.into_iter().any(is_new), "it does not start again:\n{}", log_tail(&self.folder));
    }

    /// The id of the server's process.
    fn process(&self) -> String {
        let state = fs::read_to_string(self.folder.join("data/postmaster.pid")).expect("the server runs");
        state.lines().next().expect("its process id").to_owned()
    }
}

/// The folder with the newest `initdb`, `postgres` and `psql`: Debian's folders first, then `PATH`.
fn programs() -> Option<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = debian
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = versions.into_iter().map(|(_, folder)| folder).chain(std::env::split_paths(&path));
    candidates.into_iter().find(|folder| ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file()))
}

/// Copying a template's files is twice as fast as logging its pages. Before version 15 files were always copied, and
/// the clause does not exist.
fn strategy(programs: &Path) -> io::Result<&'static str> {
    let said = Command::new(programs.join("postgres")).arg("--version").output()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let version = said.split_whitespace().find_map(|word| word.split('.').next()?.parse::<u32>().ok());
    Ok(if version.is_some_and(|version| version >= 15) { " STRATEGY file_copy" } else { "" })
}

/// A private folder, and the account that owns it and runs the server if that is not the current one.
fn new_folder() -> io::Result<(PathBuf, Option<UserAndGroup>)> {
    let folder = tempfile::Builder::new()
        .prefix("itinerary-postgres-")
        .permissions(fs::Permissions::from_mode(0o700))
        .tempdir()?
        .keep();
    let user = run_as(&folder)?;
    if let Some((user, group)) = user {
        chown(&folder, Some(user), Some(group))?;
    }
    Ok((folder, user))
}

/// The account that runs the server if we are root, because PostgreSQL refuses to run as root. The owner of a new
/// folder tells who we are.
fn run_as(folder: &Path) -> io::Result<Option<UserAndGroup>> {
    if fs::metadata(folder)?.uid() != 0 {
        return Ok(None);
    }
    let accounts = fs::read_to_string("/etc/passwd")?;
    let ids = ["postgres", "nobody"].iter().find_map(|name| account_ids(&accounts, name));
    ids.map(Some).ok_or_else(|| io::Error::other("root may not run it, and there is neither `postgres` nor `nobody`"))
}

/// The ids of an account in the text of `/etc/passwd`.
fn account_ids(accounts: &str, name: &str) -> Option<UserAndGroup> {
    let line = accounts.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut numbers = line.split(':').skip(2).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Starts the keeper in its own process group, so that an interrupt from the terminal does not reach it before us.
fn keep(
    programs: &Path,
    folder: &Path,
    port: u16,
    user: Option<UserAndGroup>,
    followed: Option<u16>,
    settings: &[&str],
) -> io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", KEEPER, "postgres-keeper"]).arg(folder).arg(programs).args([&port.to_string(), SUPERUSER]);
    command.arg(followed.map_or_else(String::new, |port| port.to_string()));
    command.args(settings.iter().flat_map(|setting| ["-c", setting]));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command.current_dir(folder).env("LC_ALL", "C").process_group(0).spawn()
}

/// Waits for the server's log line that it accepts connections.
fn wait_until_ready(folder: &Path) -> Result<(), String> {
    for _ in 0..READY_POLLS {
        let state = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
        if is_ready(&state) {
            return Ok(());
        }
        if folder.join("stopped").exists() {
            return Err("it stopped at once".to_owned());
        }
        sleep(Duration::from_millis(20));
    }
    Err("it did not get ready in time".to_owned())
}

/// Whether the text of `postmaster.pid` says that the server accepts connections, on a replica for reads.
fn is_ready(state: &str) -> bool {
    state.lines().nth(7).is_some_and(|line| line.trim() == "ready")
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The end of the server's log, for error messages.
fn log_tail(folder: &Path) -> String {
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
