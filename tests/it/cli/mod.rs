//! The command line `itinerary` as a program, against a server.

mod commands;
mod destinations;
mod documents;
mod edit;
mod failures;
mod flags;
mod history;
mod hostile;
mod import;
mod parts;
mod planning;
mod readme;
mod sign_in;
mod stub;
mod terminal;
mod watch;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use itinerary_tests::program;
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{Sqlite, World};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

/// What `login` asks for.
const SCOPES: &str = "itineraries:read itineraries:write documents:read documents:write";
const PROGRAM: &str = env!("CARGO_BIN_EXE_itinerary-under-test");

/// Somebody at a machine: a home folder, and an access token or a sign-in.
struct Person {
    home: TempDir,
    server: String,
    token: Option<String>,
}

impl Person {
    /// Somebody who has an access token.
    async fn of(world: &World, name: &str) -> Self {
        Self { token: Some(world.token_of_anyone(name, READ_WRITE).await), ..Self::signed_out(&world.base_url) }
    }

    /// Somebody with Pro, whose token has the scopes for documents too.
    async fn pro(world: &World, name: &str) -> Self {
        world.pro_account(name).await;
        Self { token: Some(world.token(name, SCOPES).await), ..Self::signed_out(&world.base_url) }
    }

    fn signed_out(server: &str) -> Self {
        Self { home: TempDir::new().expect("a folder"), server: server.to_owned(), token: None }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The program, with nothing of this process's environment but the path.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).env_clear().current_dir(self.home.path()).env("HOME", self.home.path());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path))).env("ITINERARY_SERVER", &self.server);
        command.envs(self.token.as_ref().map(|token| ("ITINERARY_TOKEN", token)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    async fn run(&self, arguments: &[&str], input: &str) -> Output {
        let output = program::run(self.command(arguments), input).await;
        assert!(!stderr(&output).contains("panicked"), "{arguments:?}: {}", stderr(&output));
        output
    }

    /// What a command prints that must succeed.
    #[track_caller]
    fn say(&self, arguments: &[&str]) -> impl Future<Output = String> {
        self.say_with(arguments, "")
    }

    async fn say_with(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input).await;
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// The JSON of a command that must succeed.
    async fn json(&self, arguments: &[&str]) -> Value {
        let said = self.say(&[arguments, &["--json"]].concat()).await;
        assert_eq!(said.lines().count(), 1, "{said}");
        serde_json::from_str(&said).expect("JSON")
    }

    /// The one line on standard error of a command that must fail with this exit code.
    async fn fail(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments, "").await;
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(said.starts_with("itinerary: ") && said.lines().count() == 1, "{arguments:?}: {said}");
        said
    }

    /// An editor: a shell script, which gets the file as `$1`.
    fn editor(&self, name: &str, script: &str) -> String {
        let path = self.file(name);
        fs::write(&path, format!("#!/bin/sh\nset -e\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        path.display().to_string()
    }

    /// The texts of edits that were not stored.
    fn drafts(&self) -> Vec<PathBuf> {
        let folder = self.file(".local/state/itinerary/edits");
        fs::read_dir(folder).map_or_else(|_| Vec::new(), |found| found.map(|it| it.expect("a file").path()).collect())
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

async fn world() -> World {
    World::start(Sqlite).await.expect("SQLite is always there")
}

/// Two days, the first with a leg.
fn weekend() -> Value {
    let place = |latitude: f64| json!({ "coordinate": { "latitude": latitude, "longitude": -9.13 } });
    json!({
        "title": "A weekend in Lisbon",
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
        "origin": { "name": "Porto" },
        "startDate": "2027-05-15",
        "days": [
            {
                "id": "d1",
                "stops": [
                    { "id": "a", "name": "Castelo", "category": "landmark", "startTime": "09:30",
                      "durationMinutes": 75, "place": place(38.714) },
                    { "id": "b", "name": "Sé", "startTime": "11:00", "place": place(38.710) },
                    { "id": "c", "name": "Fado", "category": "nightlife", "place": place(38.711) },
                ],
                "legs": [{ "from": "a", "to": "b", "mode": "walk", "minutes": 11, "metres": 640 }],
            },
            { "id": "d2", "stops": [{ "id": "d", "name": "Torre de Belém", "place": place(38.692) }] },
        ],
    })
}

/// Stores the weekend; returns its id.
async fn create(person: &Person) -> String {
    person.say_with(&["create", "-", "--quiet"], &weekend().to_string()).await.trim_end().to_owned()
}

/// The names of a day's stops.
fn stops(trip: &Value, day: usize) -> Vec<&str> {
    let stops = trip["days"][day]["stops"].as_array().expect("stops");
    stops.iter().map(|stop| stop["name"].as_str().expect("a name")).collect()
}
