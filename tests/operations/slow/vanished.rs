//! A client that vanishes without a reset, as a phone without a network does, loses its stream of changes in less than a
//! minute. The server and its client run in a network namespace of their own, whose only interface is taken down.

use std::fs;
use std::process::{Command as Blocking, Stdio};
use std::time::{Duration, Instant};

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, make_account, make_token, words};
use tokio::process::Command;

/// A comment after 20 seconds, and 30 seconds without an acknowledgement. Linux looks at each retransmission, so it may be
/// late.
const LONGEST: Duration = Duration::from_secs(75);

/// The server's port, in a namespace in which all are free.
const ADDRESS: &str = "127.0.0.1:8080";

/// Whether user and network namespaces can be made.
fn can_isolate() -> bool {
    let probe = Blocking::new("unshare").args(["-rn", "ip", "link", "set", "lo", "up"]).stderr(Stdio::null()).status();
    let can = probe.is_ok_and(|status| status.success());
    if !can {
        itinerary_tests::skipped("network namespaces cannot be made here");
    }
    can
}

/// The same command of the server in a new network namespace.
fn isolated(server: &Command) -> Command {
    let server = server.as_std();
    let mut command = Command::new("unshare");
    command.args(["-rn", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]);
    command.arg(server.get_program()).args(server.get_args()).env_clear();
    command.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// A program in the server's namespaces.
fn beside(server: &Program, line: &[&str]) -> Blocking {
    let mut command = Blocking::new("nsenter");
    command.args(["--preserve-credentials", "-U", "-n", "-t", &server.id()]).args(line).stderr(Stdio::null());
    command
}

/// The number of established connections at the server's end.
fn connections(server: &Program) -> usize {
    let table = fs::read_to_string(format!("/proc/{}/net/tcp", server.id())).expect("the server runs");
    let is_open = |line: &&str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        fields[1].ends_with(":1F90") && fields[3] == "01"
    };
    table.lines().skip(1).filter(is_open).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_vanishes_loses_its_stream() {
    if !can_isolate() {
        return;
    }
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Program::start(isolated(&command(words(&engine, &["serve", "--listen", ADDRESS])))).await;
    let headers = [format!("Authorization: Bearer {token}"), "Accept: text/event-stream".to_owned()];
    let address = format!("http://{ADDRESS}/v1/changes");
    let mut curl = beside(&server, &["curl", "-sN", "-H", &headers[0], "-H", &headers[1], &address]);
    let mut client = curl.stdout(Stdio::null()).spawn().expect("curl is installed");
    let began = Instant::now();
    while connections(&server) == 0 {
        assert!(began.elapsed() < Duration::from_secs(10), "the stream opens");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let down = beside(&server, &["ip", "link", "set", "lo", "down"]).status().expect("nsenter runs");
    assert!(down.success());
    let began = Instant::now();
    while connections(&server) > 0 {
        assert!(began.elapsed() < LONGEST, "the connection is still open");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let took = began.elapsed();
    client.kill().expect("curl ends");
    client.wait().expect("curl ends");
    assert!(took > Duration::from_secs(10), "the kernel waits for acknowledgements: {took:?}");
}
