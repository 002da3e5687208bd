//! The database's address contains a password, which no error, log line or panic may reveal, however wrong the address
//! is.

use std::fs;

use futures::future::join_all;
use itinerary_tests::program::{command, run};
use tempfile::TempDir;
use tokio::process::Command;

/// Part of every password, on both sides of the error in the address.
const SECRET: &str = "Sesame";

/// Invalid addresses: of unsupported databases, malformed, or of a server that does not exist.
const ADDRESSES: [&str; 22] = [
    "postgres://ana:Sesame#Sesame@127.0.0.1:1/trips",
    "postgres://ana:Sesame/Sesame@127.0.0.1:1/trips",
    "postgres://ana:Sesame?Sesame@127.0.0.1:1/trips",
    "postgres://ana:Sesame@127.0.0.1:port/trips",
    "postgres://ana:Sesame@127.0.0.1:99999/trips",
    "postgres://ana:Sesame%FF@127.0.0.1:1/trips",
    "postgres://ana:Sesame@[::1/trips",
    "postgres://ana:Sesame@:5432/trips",
    "postgres//ana:Sesame@127.0.0.1:1/trips",
    "postgres:ana:Sesame@127.0.0.1:1/trips?sslmode=Sesame",
    "mysql://ana:Sesame@127.0.0.1:1/trips",
    "sqlite://ana:Sesame@127.0.0.1:1/trips",
    "sqlite:Sesame?password=Sesame",
    "ana:Sesame@127.0.0.1:1/trips",
    "postgres://ana:Sesame@127.0.0.1:1/trips?sslmode=Sesame",
    "postgres://ana:Sesame@127.0.0.1:1/trips?port=Sesame",
    "postgres://ana:Sesame@127.0.0.1:1,127.0.0.1:2/trips",
    "postgres://ana:Sesame@127.0.0.1:1,127.0.0.1:2/trips?target_session_attrs=Sesame",
    "postgres://ana:1,Sesame/Sesame@127.0.0.1:1/trips",
    "postgres://ana:Sesame@127.0.0.1:1,,Sesame/trips",
    "postgres://ana:Sesame@127.0.0.1:1/trips?password=Sesame&Sesame=Sesame",
    r#"postgres://ana:Sesame"\Sesame@127.0.0.1:1/trips"#,
];

/// The ways to configure an address: a flag, a variable, a line of the config file.
fn ways(address: &str, data: &TempDir, number: usize) -> [Command; 4] {
    let path = |name: String| data.path().join(name).display().to_string();
    let folder = path("data".to_owned());
    let given = |arguments: &[&str]| {
        let arguments = ["--data", &folder].into_iter().chain(arguments.iter().copied());
        let mut command = command(arguments.chain(["migrate"]).map(str::to_owned));
        command.env("RUST_LOG", "trace");
        command
    };
    let mut variable = given(&[]);
    variable.env("ITINERARY_DATABASE_URL", address);
    // Also under a key that takes a number, because an address may be written to the wrong key.
    let [file, wrong_key] = ["database_url", "database_connections"].map(|key| {
        let file = path(format!("{key}-{number}.toml"));
        fs::write(&file, format!("# Settings.\n{key} = \"{address}\"\n")).expect("the file is written");
        given(&["--config", &file])
    });
    [given(&["--database-url", address]), variable, file, wrong_key]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_password_of_the_database_is_told() {
    let data = TempDir::new().expect("a folder for the test");
    let commands = ADDRESSES.iter().enumerate().map(|(number, address)| (address, ways(address, &data, number)));
    let commands = commands.flat_map(|(address, ways)| ways.map(|command| (address, command)));
    join_all(commands.map(async |(address, command)| {
        let output = run(command, "").await;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!output.status.success(), "{address} works: {said}");
        assert!(said.contains("itinerary-server: "), "it says what is wrong with {address}: {said}");
        assert!(!said.contains(SECRET) && !said.contains("panicked"), "{address}: {said}");
    }))
    .await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_variable_that_is_no_text_is_not_told_either() {
    use std::os::unix::ffi::OsStrExt;
    let mut command = command(["migrate"]);
    command.env("ITINERARY_DATABASE_URL", std::ffi::OsStr::from_bytes(b"postgres://ana:Sesame\xff@127.0.0.1:1/trips"));
    let output = run(command, "").await;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(!output.status.success() && !said.is_empty() && !said.contains(SECRET), "{said}");
}
