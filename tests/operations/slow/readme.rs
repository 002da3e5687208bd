//! README.md and docs/tour.md are correct: their `sh` blocks are run twice in a row in one folder and print what the
//! text says.
//!
//! Servers run in one terminal, everything else in a second one, a shell that keeps its variables. `cargo` is replaced
//! by a script that starts the programs under test instead of building them. The port is a free one.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use itinerary_tests::program::{Program, free_address};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const README: &str = include_str!("../../../README.md");
const TOUR: &str = include_str!("../../../docs/tour.md");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The address that both texts name.
const ADDRESS: &str = "127.0.0.1:8080";

/// Not run here, because it is the command that runs this test.
const TESTS: &str = "ITINERARY_TEST_POSTGRES=1 cargo test --workspace\n";

/// How long a block may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// The maximum output that a reader has to look at after one block.
const MOST_LINES: usize = 40;
const LONGEST_LINE: usize = 240;

/// What a block prints in the first and the second run, in order. Text of the block identifies it.
type Printed = (&'static str, &'static [&'static str], &'static [&'static str]);

/// What the block of README.md prints.
const OF_README: [Printed; 1] =
    [("Colosseum", &["Created the account ada (", ROME[0], ROME[1], ROME[2], ROME[3]], &ROME)];

const ROME: [&str; 4] = ["\"minutesBefore\":116", "\"minutesAfter\":72", "\"visibility\":\"unlisted\"", "/trips/0"];

/// What the blocks of the tour print.
const OF_TOUR: [Printed; 11] = [
    ("account create ada", &["Created the account ada ("], &["the username is taken"]),
    ("lisbon-by-name.json", &PLACED, &PLACED),
    ("days/day-2/optimise", &["\"minutesBefore\":", "\"minutesAfter\":"], &["\"minutesBefore\":", "\"minutesAfter\":"]),
    ("lisbon.jpg", &["/lisbon.jpg"], &["/lisbon.jpg"]),
    (
        "Autumn in Lisbon",
        &["\"title\":\"Spring in Lisbon\"", "\"code\":\"itineraryModified\""],
        &["\"title\":\"Spring in Lisbon\"", "\"code\":\"itineraryModified\""],
    ),
    (
        "stops?position=1",
        &["HTTP/1.1 20", "etag: \"v", "\"name\":\"Pastéis, still warm\""],
        &["HTTP/1.1 20", "etag: \"v", "\"name\":\"Pastéis, still warm\""],
    ),
    ("\"visibility\": \"public\"", &SHARED, &SHARED),
    (
        "DELETE",
        &["\"title\":\"Spring in Lisbon\"", "HTTP/1.1 204 No Content"],
        &["\"title\":\"Spring in Lisbon\"", "HTTP/1.1 204 No Content"],
    ),
    ("first_trip", &["Stored", "Lost a race", "Your itineraries:"], &["already", "Lost a race", "Your itineraries:"]),
    ("demo-data demo", &["password"], &["itinerary-server: "]),
    (
        "explore?limit=2",
        &["\"title\":\"", "\"title\":\"", "\"title\":\""],
        &["\"title\":\"", "\"title\":\"", "\"title\":\""],
    ),
];

/// What sharing the trip prints.
const SHARED: [&str; 3] = ["\"visibility\":\"public\"", "<title>", "/trips/"];

/// Parts of the response to the first trip.
const PLACED: [&str; 6] = [
    "HTTP/1.1 201 Created",
    "etag: \"v",
    "location: /v1/itineraries/",
    "\"name\":\"Miradouro das Portas do Sol\"",
    "\"latitude\":38.71",
    "\"code\":\"notPlaced\"",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_readme_can_be_followed_twice() {
    follow(README, &OF_README).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tour_can_be_followed_twice() {
    follow(TOUR, &OF_TOUR).await;
}

async fn follow(text: &str, expected: &[Printed]) {
    let machine = Machine::new();
    for round in 0..2 {
        let mut second = Terminal::open(&machine);
        let mut server: Option<Program> = None;
        let mut shown = 0;
        for block in blocks(text).filter(|block| block != TESTS) {
            if serves(&block) {
                // The text says to stop the running server.
                stop(server.take()).await;
                server = Some(Program::start(machine.shell(&["-c", &format!("exec {block}")])).await);
                continue;
            }
            let printed = second.run(&block.replace(ADDRESS, &machine.address)).await;
            let (_, first, again) = expected.iter().find(|(name, ..)| block.contains(name)).expect("a known block");
            expect_in_order(&block, &printed, if round == 0 { first } else { again });
            shown += 1;
        }
        stop(server).await;
        assert_eq!(shown, expected.len(), "every block of the text is known");
        let files: Vec<_> = fs::read_dir(machine.folder.path())
            .expect("a folder")
            .map(|file| file.expect("a file").file_name())
            .collect();
        assert!(
            files.iter().all(|file| ["client-sdk", "tools", "data", "demo-data"].contains(&&*file.to_string_lossy())),
            "{files:?}"
        );
    }
}

// The expected output is the one in the texts.
#[test]
fn the_texts_say_what_is_printed() {
    assert!(README.contains("takes 72 minutes instead of 116"));
    for said in [
        "the username is taken",
        "`201 Created`",
        "placed 46 of 53 stops",
        "`\"title\":\"Spring in Lisbon\"`",
        "`\"code\":\"itineraryModified\"`",
        "`204 No Content`",
        "list of your itineraries",
        "Stop the first server with Ctrl-C",
    ] {
        assert!(TOUR.replace('\n', " ").contains(said), "{said}");
    }
}

/// The `sh` blocks of a text, in order.
fn blocks(text: &str) -> impl Iterator<Item = String> {
    text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().expect("a block ends").to_owned())
}

/// Whether a block starts a server, which runs until it is stopped.
fn serves(block: &str) -> bool {
    ["cargo run\n", "cargo run -- --data demo-data\n"].contains(&block)
}

async fn stop(server: Option<Program>) {
    if let Some(server) = server {
        server.ask_to_stop();
        assert_eq!(server.exit_code().await, Some(0));
    }
}

fn expect_in_order(block: &str, printed: &str, expected: &[&str]) {
    let mut rest = printed;
    for part in expected {
        let found =
            rest.find(part).unwrap_or_else(|| panic!("no {part} where it belongs in:\n{printed}\nafter:\n{block}"));
        rest = &rest[found + part.len()..];
    }
    assert!(printed.lines().count() <= MOST_LINES, "too much to read:\n{printed}");
    assert!(printed.lines().all(|line| line.len() <= LONGEST_LINE), "too long a line:\n{printed}");
}

/// A folder like a checkout, with a `cargo` that builds nothing.
struct Machine {
    folder: TempDir,
    address: String,
}

impl Machine {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        symlink(Path::new(ROOT).join("client-sdk"), folder.path().join("client-sdk")).expect("a link");
        let machine = Self { folder, address: free_address() };
        fs::create_dir(machine.tools()).expect("a folder");
        let cargo = machine.tools().join("cargo");
        let script = format!(
            "#!/bin/sh\n\
             case \"$*\" in\n\
             'run') exec {server} ;;\n\
             'run -- '*) shift 2; exec {server} \"$@\" ;;\n\
             'run -q -- '*) shift 3; exec {server} \"$@\" ;;\n\
             'run -p itinerary-sdk --example first_trip') ITINERARY_TOKEN=$(\"$0\" run -- account token ada) \
             exec {example} ;;\n\
             *) echo \"not expected: cargo $*\" >&2; exit 64 ;;\n\
             esac\n",
            server = env!("CARGO_BIN_EXE_itinerary-server-under-test"),
            // With a token, because there is no browser to sign in with.
            example = env!("CARGO_BIN_EXE_first-trip-under-test"),
        );
        fs::write(&cargo, script).expect("a file");
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("it is ours");
        machine
    }

    fn tools(&self) -> PathBuf {
        self.folder.path().join("tools")
    }

    /// A POSIX shell without extensions, if there is one.
    fn shell(&self, arguments: &[&str]) -> Command {
        let dash = Path::new("/bin/dash");
        let mut shell = Command::new(if dash.exists() { dash } else { Path::new("/bin/sh") });
        let path = std::env::var("PATH").expect("a path");
        shell.args(arguments).current_dir(self.folder.path()).env_clear();
        shell.env("PATH", format!("{}:{path}", self.tools().display())).env("RUST_LOG", "warn");
        shell.env("ITINERARY_LISTEN", &self.address).env("ITINERARY_BASE_URL", format!("http://{}", self.address));
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        shell
    }
}

/// A shell that runs one block after another.
struct Terminal {
    _shell: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Terminal {
    fn open(machine: &Machine) -> Self {
        let mut shell = machine.shell(&["-s"]).stdin(Stdio::piped()).spawn().expect("a shell");
        let input = shell.stdin.take().expect("it was piped");
        let output = BufReader::new(shell.stdout.take().expect("it was piped")).lines();
        Self { _shell: shell, input, output }
    }

    /// Runs a block and returns its output.
    async fn run(&mut self, block: &str) -> String {
        // The shell assembles the marker, so that only the end of the block prints it.
        let script = format!("exec 2>&1\n{block}\nprintf '\\n%s-%s\\n' end block\n");
        self.input.write_all(script.as_bytes()).await.expect("the shell listens");
        let mut printed = String::new();
        loop {
            let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await;
            let line = line.unwrap_or_else(|_| panic!("it does not end:\n{block}\nprinted:\n{printed}"));
            match line.expect("text") {
                Some(line) if line == "end-block" => return printed,
                Some(line) => printed = printed + &line + "\n",
                None => panic!("the shell has ended:\n{printed}"),
            }
        }
    }
}
