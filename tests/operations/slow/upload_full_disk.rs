//! A full disk during an upload, simulated by a limit on the size of the server's files (`ulimit -f`).

use std::process::Stdio;

use itinerary_tests::bodies::on_day;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, free_address, make_account, succeed, words};
use itinerary_tests::{RawResponse, sql};
use reqwest::Method;
use tokio::process::Command;

use itinerary_tests::app::text;
use itinerary_tests::documents::{SCOPE, documents, files};
use itinerary_tests::forms::{Form, content_type};
use itinerary_tests::sealed_files;

/// Starts the program so that writing a file beyond 8 MiB fails. Ignores the signal, which a full disk would not send.
async fn serve_with_little_room(engine: &Engine) -> Program {
    let address = free_address();
    let flags = words(engine, &["serve", "--listen", &address, "--limits", "off"]);
    let server = command(flags);
    let server = server.as_std();
    let mut limited = Command::new("bash");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 8192; exec \"$0\" \"$@\""]).arg(server.get_program());
    limited.args(server.get_args()).env_clear();
    limited.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    Program::start(limited).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_to_a_full_disk_is_refused_and_leaves_nothing() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    succeed(command(words(&engine, &["account", "plan", "ana", "pro"])), "").await;
    let token = succeed(command(words(&engine, &["account", "token", "ana", "--scope", SCOPE])), "").await;
    let server = serve_with_little_room(&engine).await;
    let call = |method: Method, path: &str| server.call(method, path).token(token.trim_end());
    let made = call(Method::POST, "/v1/itineraries").json(&on_day(1)).send().await;
    let path = documents(&text(&made.json()["id"]));
    let upload = async |size: usize| -> RawResponse {
        let form = Form::new().file(sealed_files::age(size)).end();
        call(Method::POST, &path).body(&content_type(), form).send().await
    };
    let list = async || call(Method::GET, &path).send().await;

    let before = list().await;
    for number in 1..=2 {
        let refused = upload(12_000_000).await;
        refused.expect_error(502, "upstreamFailed");
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(files(engine.data()), [] as [String; 0]);
        // After an error, what the file store has kept is unknown, so the job looks again.
        let loose = sql::ask(&engine.url(), "SELECT CAST(COUNT(*) AS TEXT) FROM loose_files").await;
        assert_eq!(loose, number.to_string());
        let now = list().await;
        assert_eq!((now.text(), now.header("etag")), (before.text(), before.header("etag")));
    }
    // The server keeps running and accepts what fits.
    let stored = upload(7_000_000).await;
    assert_eq!(stored.status, 201, "{}", stored.text());
    assert_eq!(list().await.json()["data"][0]["id"], stored.json()["id"]);
    assert_eq!(files(engine.data()).len(), 1);
}
