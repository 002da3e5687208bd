//! Measures the latency of a short read, alone and during long searches by other clients.
//!
//! The searches are the slowest possible: through everything published by an author whom the reader follows, for a word
//! without matches. Other requests should not wait for them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hyper::Method;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::fill::{self, Api, Request};
use super::process::{Binaries, Program, Server};
use super::{Args, Engine, Result, WARM_UP, engines, report};

/// The number of searched itineraries, and of distinct words in each.
const ITINERARIES: usize = 1_000;
const WORDS: usize = 2_000;

/// The number of words in the name of a stop.
const WORDS_A_STOP: usize = 15;

/// The number of concurrent searches.
const SEARCHERS: usize = 8;

/// No itinerary contains the last word, and all contain its prefix.
const SEARCH: &str = "/v1/explore?following=true&limit=25&q=word7%20word70%20word700%20wordless";
const SHORT: &str = "/v1/account";

/// Median latencies.
struct Figures {
    /// The short read alone.
    quiet: Duration,
    /// The short read beside searches.
    beside: Duration,
    /// The searches.
    search: Duration,
}

/// The table: each server on each kind of database.
pub(super) fn measure(args: &Args, binaries: &Binaries, scratch: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for engine in engines(None) {
        for program in &binaries.servers {
            lines.push((engine.name(), program.name.as_str(), figures(args, program, engine, scratch)?));
        }
    }
    Ok(table(&lines))
}

fn figures(args: &Args, program: &Program, engine: Engine, scratch: &Path) -> Result<Figures> {
    let folder = tempfile::Builder::new().prefix(engine.name()).tempdir_in(scratch)?.keep();
    let server = Server::start(program, engine.fresh(), args.durability, &folder)?;
    let author = Api::new(server.address.clone(), server.token_of("author")?)?;
    publish(&author, engine.name())?;
    let reader = Api::new(server.address.clone(), server.token()?)?;
    follow(&reader, &author)?;
    let ended = |after: Duration| {
        let began = Instant::now();
        move || began.elapsed() >= after
    };
    read(&reader, SHORT, ended(WARM_UP))?;
    let seconds = Duration::from_secs(args.seconds);
    let quiet = read(&reader, SHORT, ended(seconds))?;
    let (searches, beside) = beside_searches(&reader, || {
        // Wait until every client is searching.
        read(&reader, SHORT, ended(WARM_UP))?;
        read(&reader, SHORT, ended(seconds))
    })?;
    Ok(Figures { quiet: median(quiet)?, beside: median(beside)?, search: median(searches)? })
}

/// Repeats a read sequentially and returns the latencies.
fn read(api: &Api, path: &str, ended: impl Fn() -> bool) -> Result<Vec<Duration>> {
    let request = Request::new(Method::GET, path.to_owned());
    let (mut connection, mut times) = (api.connect()?, Vec::new());
    while !ended() {
        let sent = Instant::now();
        let response = connection.send(&request)?;
        if response.status != 200 {
            return Err(format!("{path}: {}: {}", response.status, response.body).into());
        }
        times.push(sent.elapsed());
    }
    Ok(times)
}

/// Runs a closure during searches; also returns the latencies of the searches.
fn beside_searches<T>(reader: &Api, other: impl FnOnce() -> Result<T>) -> Result<(Vec<Duration>, T)> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let search = || -> std::result::Result<Vec<Duration>, String> {
            let api = reader.again().map_err(|error| error.to_string())?;
            read(&api, SEARCH, || over.load(Ordering::Relaxed)).map_err(|error| error.to_string())
        };
        let searchers: Vec<_> = (0..SEARCHERS).map(|_| scope.spawn(search)).collect();
        let outcome = other();
        over.store(true, Ordering::Relaxed);
        let mut times = Vec::new();
        for searcher in searchers {
            times.extend(searcher.join().map_err(|_| "a searcher panicked")??);
        }
        Ok((times, outcome?))
    })
}

fn publish(author: &Api, database: &str) -> Result<()> {
    let bar = ProgressBar::new(ITINERARIES as u64)
        .with_style(ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {elapsed}")?)
        .with_prefix(format!("fill {database}"));
    let trip = trip();
    for _ in bar.wrap_iter(0..ITINERARIES) {
        // A new itinerary is private.
        let path = format!("/v1/itineraries/{}", fill::create(author, &trip)?);
        let publish = Request::new(Method::PATCH, path).body(r#"{"visibility":"public"}"#).header("If-Match", "*");
        let response = author.send(&publish)?;
        if response.status != 200 {
            return Err(format!("publishing: {}: {}", response.status, response.body).into());
        }
    }
    Ok(())
}

/// A trip whose stops' names have this number of distinct words.
fn trip() -> String {
    let words: Vec<String> = (0..WORDS).map(|number| format!("word{number}")).collect();
    let stops: Vec<Value> = words.chunks(WORDS_A_STOP).map(|words| json!({"name": words.join(" ")})).collect();
    let days: Vec<Value> = stops.chunks(20).map(|stops| json!({"stops": stops})).collect();
    json!({
        "destination": {"name": "Lisboa", "coordinate": {"latitude": 38.7223, "longitude": -9.1393}},
        "startDate": "2027-05-15",
        "days": days,
    })
    .to_string()
}

fn follow(reader: &Api, author: &Api) -> Result<()> {
    let account = author.send(&Request::new(Method::GET, SHORT.to_owned()))?;
    let account: Value = serde_json::from_str(&account.body)?;
    let id = account["accountId"].as_str().ok_or("the account has no id")?;
    let response = reader.send(&Request::new(Method::PUT, format!("/v1/accounts/{id}/follow")))?;
    if response.status != 204 {
        return Err(format!("following: {}: {}", response.status, response.body).into());
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Result<Duration> {
    times.sort_unstable();
    Ok(*times.get(times.len() / 2).ok_or("no request was answered")?)
}

fn table(lines: &[(&str, &str, Figures)]) -> String {
    let mut text = format!(
        "{SEARCHERS} clients search {ITINERARIES} followed itineraries of {WORDS} words each in a loop; one more reads \
         its account.\n\n\
         | database | server | read alone, p50 | beside searches, p50 | ratio | search, p50 |\n|---|---|---:|---:|---:|---:|\n"
    );
    for (database, program, Figures { quiet, beside, search }) in lines {
        writeln!(
            text,
            "| {database} | {program} | {} | {} | {:.2} | {} |",
            report::latency(*quiet),
            report::latency(*beside),
            beside.as_secs_f64() / quiet.as_secs_f64(),
            report::latency(*search),
        )
        .expect("writing to a string");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trip_has_its_words_and_no_searcher_finds_it() {
        let trip: Value = serde_json::from_str(&trip()).expect("JSON");
        let stops =
            trip["days"].as_array().expect("days").iter().flat_map(|day| day["stops"].as_array().expect("stops"));
        let names: Vec<&str> = stops.map(|stop| stop["name"].as_str().expect("a name")).collect();
        let words: Vec<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
        assert_eq!(words.len(), WORDS);
        let searched: Vec<&str> = SEARCH.rsplit("q=").next().expect("words").split("%20").collect();
        let (last, others) = searched.split_last().expect("words");
        assert!(others.iter().all(|word| words.contains(word)));
        assert!(!words.iter().any(|word| word.starts_with(last)));
    }

    #[test]
    fn a_line_has_the_ratio() {
        let millis = Duration::from_millis;
        let figures = Figures { quiet: millis(2), beside: millis(5), search: millis(40) };
        let table = table(&[("sqlite", "new", figures)]);
        assert_eq!(table.lines().last(), Some("| sqlite | new | 2.00 ms | 5.00 ms | 2.50 | 40.00 ms |"));
    }

    #[test]
    fn half_of_the_times_are_longer() {
        let times = [9, 1, 5].map(Duration::from_millis);
        assert_eq!(median(times.to_vec()).expect("a median"), Duration::from_millis(5));
        assert!(median(Vec::new()).is_err());
    }
}
