//! Mail through a real mail server, aiosmtpd. `ITINERARY_AIOSMTPD` is the path of a Python that has it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, fail, free_address, run};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, api_test, sql};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::authority::Authority;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/operations/slow/smtp_server.py");

/// The longest time until a mail arrives, with the first pause.
const SOON: Duration = Duration::from_mins(1);

/// The mail server, which ends when dropped.
struct Smtp {
    _child: Child,
    output: Lines<BufReader<ChildStdout>>,
    port: String,
}

impl Smtp {
    /// `None` if it is not installed.
    async fn start(arguments: &[&str]) -> Option<Self> {
        let Some(python) = std::env::var_os("ITINERARY_AIOSMTPD").map(PathBuf::from) else {
            assert!(std::env::var_os("ITINERARY_REQUIRE_AIOSMTPD").is_none(), "ITINERARY_AIOSMTPD is not set");
            itinerary_tests::skipped("ITINERARY_AIOSMTPD names no Python with aiosmtpd");
            return None;
        };
        let address = free_address();
        let port = address.rsplit_once(':').expect("an address").1.to_owned();
        let mut child = Command::new(python)
            .arg(SCRIPT)
            .args(arguments)
            .args(["--port", &port])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("python starts");
        let mut output = BufReader::new(child.stdout.take().expect("it was piped")).lines();
        let line = timeout(SOON, output.next_line()).await.expect("it starts").expect("text");
        assert_eq!(line.as_deref(), Some("listening"));
        Some(Self { _child: child, output, port })
    }

    /// The next mail that it has taken.
    async fn next(&mut self) -> Value {
        let line = timeout(SOON, self.output.next_line()).await.expect("a mail arrives").expect("text");
        serde_json::from_str(&line.expect("it runs")).expect("JSON")
    }

    /// The settings of a server that sends its mail here.
    fn flags<'f>(&'f self, encryption: &'f str) -> Vec<&'f str> {
        let sender = "Reisen <trips@example.org>";
        let flags = ["--mail-host", "127.0.0.1", "--mail-port", &self.port, "--mail-from", sender];
        flags.into_iter().chain(["--mail-encryption", encryption, "--mail-timeout", "2"]).collect()
    }

    /// The command that sends a test, trusting the certificates of a file.
    fn test(&self, encryption: &str, more: &[&str], trusted: Option<&Path>) -> Command {
        let flags = [&["mail", "test", "ana@example.com"], &self.flags(encryption)[..], more].concat();
        let mut command = command(flags);
        command.envs(trusted.map(|file| ("SSL_CERT_FILE", file)));
        command
    }
}

/// A certificate authority, and a certificate for the mail server.
struct Certificates {
    folder: TempDir,
}

impl Certificates {
    fn new() -> Self {
        let (folder, authority) = (TempDir::new().expect("a folder"), Authority::new());
        let pair = authority.issue(Authority::VALID);
        for (name, content) in [("ca.pem", authority.pem()), ("cert.pem", pair.certificate), ("key.pem", pair.key)] {
            std::fs::write(folder.path().join(name), content).expect("a file");
        }
        Self { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The arguments of a mail server with this encryption.
    async fn server(&self, tls: &str, more: &[&str]) -> Option<Smtp> {
        let (certificate, key) = (self.file("cert.pem"), self.file("key.pem"));
        let files = [certificate.to_str().expect("text"), key.to_str().expect("text")];
        let arguments = ["take", "--tls", tls, "--certificate", files[0], "--key", files[1]];
        Smtp::start(&[&arguments, more].concat()).await
    }
}

async fn reply(command: Command) -> String {
    let output = run(command, "").await;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

// W-38: in clear text on the same machine.
#[tokio::test]
async fn a_test_is_sent_in_clear_text() {
    let Some(mut smtp) = Smtp::start(&["take"]).await else { return };
    let said = reply(smtp.test("none", &[], None)).await;
    assert_eq!(
        said.trim_end(),
        "The mail server has taken a test for ana@example.com. Its reply: 250 2.0.0 Taken as 4711"
    );
    let mail = smtp.next().await;
    assert_eq!(
        (&mail["from"], &mail["to"][0], &mail["encrypted"]),
        (&"trips@example.org".into(), &"ana@example.com".into(), &false.into())
    );
    let content = mail["content"].as_str().expect("text");
    assert!(
        content.contains("Subject: Test\r\n") && content.contains("From: Reisen <trips@example.org>\r\n"),
        "{content}"
    );
    assert!(content.contains("text/plain") && content.contains("text/html"), "{content}");
    // It would need a TLS that this server does not have.
    for encryption in ["tls", "starttls"] {
        let said = fail(smtp.test(encryption, &[], None)).await;
        assert!(said.contains("the mail server"), "{said}");
    }
    let said = fail(smtp.test("none", &["--mail-username", "trips", "--mail-password", "Sesame"], None)).await;
    assert!(said.contains("does not accept `mail_username` and `mail_password`") && !said.contains("Sesame"), "{said}");
}

// W-38: by TLS, with a name and a password, and only to a server whose certificate is trusted.
#[tokio::test]
async fn a_test_is_sent_by_tls() {
    let certificates = Certificates::new();
    let password = certificates.file("password");
    std::fs::write(&password, "Sesame\n").expect("a file");
    let signed = ["--mail-username", "trips", "--mail-password-file", password.to_str().expect("text")];
    let trusted = certificates.file("ca.pem");
    for (server, encryption) in [("implicit", "tls"), ("starttls", "starttls")] {
        let Some(mut smtp) = certificates.server(server, &["--user", "trips:Sesame"]).await else { return };
        let said = reply(smtp.test(encryption, &signed, Some(&trusted))).await;
        assert!(said.contains("250 2.0.0 Taken as 4711"), "{said}");
        let mail = smtp.next().await;
        assert_eq!(
            (&mail["encrypted"], &mail["user"], &mail["hello"]),
            (&true.into(), &"trips".into(), &"[127.0.0.1]".into())
        );

        let wrong = ["--mail-username", "trips", "--mail-password", "wrong"];
        let said = fail(smtp.test(encryption, &wrong, Some(&trusted))).await;
        assert!(said.contains("does not accept `mail_username` and `mail_password`"), "{said}");
        let other = Certificates::new();
        let said = fail(smtp.test(encryption, &signed, Some(&other.file("ca.pem")))).await;
        assert!(said.to_lowercase().contains("certificate"), "{said}");
    }
}

// W-38: a server that rejects for ever, and one that hangs.
#[tokio::test]
async fn failures_are_printed() {
    let Some(smtp) = Smtp::start(&["reject"]).await else { return };
    let said = fail(smtp.test("none", &[], None)).await;
    let expected =
        "the mail server rejected the mail: permanent error (550): 5.1.1 <a…@example.com>: unknown recipient";
    assert!(said.contains(expected), "{said}");
    let Some(smtp) = Smtp::start(&["hang"]).await else { return };
    let said = fail(smtp.test("none", &[], None)).await;
    assert!(said.contains("the mail server did not take the mail within 2 seconds"), "{said}");
    let closed = free_address();
    let port = closed.rsplit_once(':').expect("an address").1;
    let said = fail(smtp.test("none", &["--mail-port", port], None)).await;
    assert!(said.contains("used multiple times") || said.contains("the mail server cannot be used"), "{said}");
    let said = fail(command(["mail", "test", "ana@example.com"])).await;
    assert!(said.contains("no mail server is set"), "{said}");
}

async fn count(engine: &Engine, of: &str) -> String {
    sql::ask(&engine.url(), &format!("SELECT CAST(count(*) AS TEXT) FROM {of}")).await
}

async fn empty(engine: &Engine) {
    let wait = async {
        while count(engine, "mails").await != "0" {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(SOON, wait).await.expect("the queue empties");
}

/// Signs up with an address.
async fn signed_up(browser: &Browser, name: &str, email: &str) -> Page {
    let form = browser.visit("/sign-up").await.form("/sign-up");
    let typed = [("username", name), ("display_name", name), ("password", PASSWORD), ("email", email)];
    browser.submit(&form, &typed).await
}

/// The address of the link in a mail, whose lines may be wrapped.
fn link(mail: &Value, server: &Program) -> String {
    let content = mail["content"].as_str().expect("text").replace("=\r\n", "").replace("=3D", "=");
    let (_, rest) = content.split_once(&format!("{}/", server.base_url)).unwrap_or_else(|| panic!("{content}"));
    format!("/{}", rest.split(|end: char| end.is_whitespace() || end == '"').next().expect("a link"))
}

// W-38: from a running server: taken at the second attempt; the link works.
#[api_test]
async fn deferred_mails_are_sent_again(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let Some(mut smtp) = Smtp::start(&["postpone"]).await else { return };
    let server = Program::serve(&engine, &smtp.flags("none")).await;
    let browser = Browser::at(&server.base_url);
    assert_eq!(signed_up(&browser, "ana", "ana@example.com").await.address.path(), "/");
    let mail = smtp.next().await;
    empty(&engine).await;
    let page = browser.visit(&link(&mail, &server)).await;
    browser.submit(&page.form("/verify-email"), &[]).await.assert_says("Your e-mail address is verified.");
}

// W-38: rejected mails are dropped, and a server that hangs blocks neither requests nor, for long, other mails.
#[api_test]
async fn rejected_mails_are_dropped_and_a_hanging_server_blocks_nobody(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let Some(smtp) = Smtp::start(&["reject"]).await else { return };
    let server = Program::serve(&engine, &smtp.flags("none")).await;
    signed_up(&Browser::at(&server.base_url), "ana", "ana@example.com").await;
    empty(&engine).await;
    drop((server, smtp));

    let Some(smtp) = Smtp::start(&["hang"]).await else { return };
    let server = Program::serve(&engine, &smtp.flags("none")).await;
    let browser = Browser::at(&server.base_url);
    let page = timeout(Duration::from_secs(10), signed_up(&browser, "ben", "ben@example.com"));
    assert_eq!(page.await.expect("it waits for no mail").address.path(), "/");
    let attempted = async {
        while count(&engine, "mails WHERE attempts = 1").await != "1" {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(SOON, attempted).await.expect("it is attempted");
    server.ask_to_stop();
    assert_eq!(timeout(SOON, server.exit_code()).await.expect("it stops"), Some(0));

    // Another server sends what was left, after the claim has ended.
    let Some(mut smtp) = Smtp::start(&["take"]).await else { return };
    sql::run(&engine.url(), "UPDATE mails SET next_at = 1").await;
    let server = Program::serve(&engine, &smtp.flags("none")).await;
    assert_eq!(smtp.next().await["to"][0], "ben@example.com");
    empty(&engine).await;
    drop(server);
}

// W-38: each mail is sent by one of several servers.
#[api_test]
async fn two_servers_share_the_queue(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let Some(mut smtp) = Smtp::start(&["take"]).await else { return };
    let flags = [&smtp.flags("none")[..], &["--limits", "off"]].concat();
    let servers = [Program::serve(&engine, &flags).await, Program::serve(&engine, &flags).await];
    for n in 0..10 {
        let browser = Browser::at(&servers[n % 2].base_url);
        signed_up(&browser, &format!("ana-{n}"), &format!("ana-{n}@example.com")).await;
    }
    let mut arrived = Vec::new();
    for _ in 0..10 {
        arrived.push(smtp.next().await["to"][0].as_str().expect("an address").to_owned());
    }
    empty(&engine).await;
    arrived.sort();
    let sent: Vec<_> = (0..10).map(|n| format!("ana-{n}@example.com")).collect();
    assert_eq!(arrived, sent);
}
