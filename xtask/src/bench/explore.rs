//! Measures the cost of a page of Explore with few and with many public itineraries: the same sequential requests on
//! databases filled by the server's `demo` command.
//!
//! Needs no wrk: it compares the cost of one request at different sizes.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use hyper::Method;
use serde_json::Value;

use super::cpu::Used;
use super::fill::{Api, Request};
use super::process::{Binaries, Database, Program, Server};
use super::{Args, Measured as _, Result, engines};

/// The number of pages before the measured deep page.
const DEEP: usize = 20;
const FOLLOWED: usize = 12;

/// The requests: name and query of `/v1/explore`. `@CURSOR@` is the cursor of a deep page of the feed.
const REQUESTS: [(&str, &str); 8] = [
    ("feed, first page", "?limit=25"),
    ("feed, deep page", "?limit=25&cursor=@CURSOR@"),
    ("feed of a continent", "?limit=25&regions=Europe"),
    ("feed of two regions", "?limit=25&regions=Portugal,Eastern%20Asia"),
    ("search, a common word", "?limit=25&q=food"),
    ("search, two common words", "?limit=25&q=food%20market"),
    ("search, one match", "?limit=25&q=journey%20777"),
    ("people followed", "?limit=25&following=true"),
];

/// The cost of one request.
#[derive(Clone, Copy)]
struct Cost {
    median: Duration,
    /// CPU time of the server, and of the database if it is a separate process.
    cpu: Duration,
}

/// The table: each request at each size on each database, and the ratio to the first size.
pub(super) fn measure(args: &Args, binaries: &Binaries, scratch: &Path) -> Result<String> {
    let sizes = &args.explore;
    let program = binaries.servers.first().ok_or("no server")?;
    let mut columns: Vec<(&str, u32, Vec<Cost>)> = Vec::new();
    for size in sizes {
        for engine in engines(None) {
            let folder = scratch.join(format!("{}-{size}", engine.name()));
            std::fs::create_dir(&folder)?;
            eprintln!("{}: {size} itineraries", engine.name());
            columns.push((engine.name(), *size, costs(args, program, engine.fresh(), &folder, *size)?));
        }
    }
    Ok(table(&columns))
}

fn costs(args: &Args, program: &Program, database: Database, folder: &Path, size: u32) -> Result<Vec<Cost>> {
    let server = Server::start_filled(program, database, folder, usize::try_from(size)?)?;
    let api = Api::new(server.address.clone(), server.token()?)?;
    follow(&api)?;
    let cursor = deep_cursor(&api)?;
    REQUESTS.iter().map(|(_, query)| cost(args, &server, &api, &query.replace("@CURSOR@", &cursor))).collect()
}

fn get(api: &Api, path: &str) -> Result<Value> {
    let response = api.send(&Request::new(Method::GET, path.to_owned()))?;
    if response.status != 200 {
        return Err(format!("{path}: {}: {}", response.status, response.body).into());
    }
    Ok(serde_json::from_str(&response.body)?)
}

/// Makes the reader follow some authors.
fn follow(api: &Api) -> Result<()> {
    let mut authors: Vec<String> = Vec::new();
    while authors.len() < FOLLOWED {
        let page = get(api, "/v1/explore?limit=100")?;
        for entry in page["data"].as_array().ok_or("no page")? {
            let author = entry["author"]["accountId"].as_str().ok_or("no author")?.to_owned();
            if authors.len() < FOLLOWED && !authors.contains(&author) {
                authors.push(author);
            }
        }
    }
    for author in authors {
        let response = api.send(&Request::new(Method::PUT, format!("/v1/accounts/{author}/follow")))?;
        if response.status != 204 {
            return Err(format!("following: {}: {}", response.status, response.body).into());
        }
    }
    Ok(())
}

fn deep_cursor(api: &Api) -> Result<String> {
    let mut path = "/v1/explore?limit=25".to_owned();
    for _ in 0..DEEP {
        let page = get(api, &path)?;
        let cursor = page["nextCursor"].as_str().ok_or("the feed has too few pages")?;
        path = format!("/v1/explore?limit=25&cursor={cursor}");
    }
    Ok(path.rsplit('=').next().unwrap_or_default().to_owned())
}

fn cost(args: &Args, server: &Server, api: &Api, query: &str) -> Result<Cost> {
    let path = format!("/v1/explore{query}");
    let run = |duration: Duration| -> Result<Vec<Duration>> {
        let (began, mut times) = (Instant::now(), Vec::new());
        while began.elapsed() < duration {
            let sent = Instant::now();
            get(api, &path)?;
            times.push(sent.elapsed());
        }
        Ok(times)
    };
    run(Duration::from_secs(1))?;
    let before = server.cpu();
    let mut times = run(Duration::from_secs(args.seconds))?;
    let after = server.cpu();
    times.sort_unstable();
    let median = *times.get(times.len() / 2).ok_or("no request was answered")?;
    let cpu = all(&after).saturating_sub(all(&before)) / u32::try_from(times.len())?;
    Ok(Cost { median, cpu })
}

fn all(used: &Used) -> Duration {
    used.server.unwrap_or_default() + used.database.unwrap_or_default()
}

fn table(columns: &[(&str, u32, Vec<Cost>)]) -> String {
    let mut text =
        "| database | request | itineraries | p50 | CPU µs, database included | p50 ÷ first | CPU ÷ first |\n\
                    |---|---|---:|---:|---:|---:|---:|\n"
            .to_owned();
    for (database, size, costs) in columns {
        let first = columns.iter().find(|(name, ..)| name == database).map(|(_, _, costs)| costs);
        for (n, ((request, _), cost)) in REQUESTS.iter().zip(costs).enumerate() {
            let first = first.map_or(*cost, |first| first[n]);
            writeln!(
                text,
                "| {database} | {request} | {size} | {} µs | {} | {:.2} | {:.2} |",
                cost.median.as_micros(),
                cost.cpu.as_micros(),
                cost.median.as_secs_f64() / first.median.as_secs_f64(),
                cost.cpu.as_secs_f64() / first.cpu.as_secs_f64(),
            )
            .expect("writing to a string");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_stands_beside_the_first_of_its_database() {
        let cost = |micros| Cost { median: Duration::from_micros(micros), cpu: Duration::from_micros(micros * 2) };
        let costs = |micros| vec![cost(micros); REQUESTS.len()];
        let table = table(&[("a", 1, costs(100)), ("b", 1, costs(50)), ("a", 9, costs(130)), ("b", 9, costs(100))]);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 2 + 4 * REQUESTS.len());
        assert!(lines[2].ends_with("| 1 | 100 µs | 200 | 1.00 | 1.00 |"), "{}", lines[2]);
        assert!(lines[2 + 2 * REQUESTS.len()].ends_with("| 9 | 130 µs | 260 | 1.30 | 1.30 |"));
        assert!(lines[2 + 3 * REQUESTS.len()].ends_with("| 9 | 100 µs | 200 | 2.00 | 2.00 |"));
    }
}
