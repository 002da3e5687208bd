//! Measures the cost of requests with few and with many itineraries and accounts, on databases filled by the server's
//! `demo` command.
//!
//! The servers of all sizes run at once and are measured in turn, in short slices, so that other load on the machine
//! affects all of them. Requests are sequential and go to random itineraries of random accounts, which were all read
//! once before.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hyper::Method;
use serde_json::{Value, json};

use super::cpu::Used;
use super::fill::{Api, BenchResponse, Connection, Request};
use super::places::Chance;
use super::process::{Binaries, Database, Program, Server};
use super::{Args, Engine, Kind, Measured as _, Result, engines};

/// The number of itineraries for each account.
const EACH: u32 = 10;
/// The number of accounts that send requests, fewer of a small database.
const ACCOUNTS: u32 = 60;
/// The number of slices of a measurement.
const SLICES: u32 = 8;
/// The number of requests of a slice, even if they take longer.
const LEAST: u32 = 60;
/// The accounts that `demo` takes from its own data; the others have a number in their names.
const BUILT_IN: u32 = 12;

/// The measured requests, and the highest ratio of CPU time that the project allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Get,
    PatchTravellers,
    PatchTitle,
    List,
    ListOfMany,
    /// A page of Explore with this query. `@NUMBER@` is the number of an itinerary.
    Explore(&'static str),
}

const CASES: [(&str, Case, f64); 13] = [
    ("read an itinerary", Case::Get, 1.25),
    ("change the number of travellers", Case::PatchTravellers, 1.3),
    ("change the title", Case::PatchTitle, 1.3),
    ("own list", Case::List, 1.5),
    ("own list, the owner of the most", Case::ListOfMany, 1.5),
    ("feed", Case::Explore(""), 1.5),
    ("feed of a continent", Case::Explore("&regions=Europe"), 1.5),
    ("feed of two regions", Case::Explore("&regions=Portugal,Eastern%20Asia"), 1.5),
    ("search, a common word", Case::Explore("&q=food"), 1.5),
    ("search, two common words", Case::Explore("&q=food%20market"), 1.5),
    ("search, a rare word", Case::Explore("&q=lisbon"), 1.5),
    ("search, at most one match", Case::Explore("&q=journey%20@NUMBER@"), 1.5),
    ("people followed", Case::Explore("&following=true"), 1.5),
];

/// An account that sends requests.
struct Traveller {
    token: String,
    itineraries: Vec<Itinerary>,
}

struct Itinerary {
    id: String,
    etag: String,
}

/// A server on a filled database.
struct Stage {
    size: u32,
    server: Server,
    /// The first one owns the most itineraries.
    travellers: Vec<Traveller>,
    api: Api,
    chance: Chance,
}

/// The cost of a request.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    requests: u32,
    cpu: Duration,
    elapsed: Duration,
}

impl Cost {
    fn cpu_micros(self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / f64::from(self.requests.max(1))
    }

    fn micros(self) -> f64 {
        self.elapsed.as_secs_f64() * 1e6 / f64::from(self.requests.max(1))
    }
}

/// One line of the table: the costs in the order of the sizes.
struct Line {
    database: &'static str,
    request: &'static str,
    limit: f64,
    costs: Vec<Cost>,
}

/// The table: each request on each database, and the ratios to the first size.
pub(super) fn measure(args: &Args, binaries: &Binaries, scratch: &Path) -> Result<String> {
    let program = binaries.servers.first().ok_or("no server")?;
    let mut lines = Vec::new();
    for engine in databases(args) {
        let mut stages =
            args.scale.iter().map(|size| stage(args, program, &engine, scratch, *size)).collect::<Result<Vec<_>>>()?;
        for (request, case, limit) in CASES {
            eprintln!("{}: {request}", engine.name());
            let costs = costs(args, &mut stages, case)?;
            lines.push(Line { database: engine.name(), request, limit, costs });
        }
    }
    Ok(table(&args.scale, &lines))
}

/// Where a database is.
enum Place {
    Temporary(Engine),
    /// In the cluster with this address and data folder.
    Given(String, PathBuf),
}

impl Place {
    fn name(&self) -> &'static str {
        match self {
            Self::Temporary(engine) => engine.name(),
            Self::Given(..) => "postgres",
        }
    }
}

fn databases(args: &Args) -> Vec<Place> {
    let mut places: Vec<_> = match &args.postgres {
        None => engines(args.database).into_iter().map(Place::Temporary).collect(),
        Some(address) => {
            let data = args.postgres_data.clone().unwrap_or_default();
            vec![Place::Temporary(Engine::Sqlite), Place::Given(address.clone(), data)]
        }
    };
    let is_sqlite = |place: &Place| matches!(place, Place::Temporary(Engine::Sqlite));
    places.retain(|place| args.database.is_none_or(|kind| (kind == Kind::Sqlite) == is_sqlite(place)));
    places
}

fn stage(args: &Args, program: &Program, place: &Place, scratch: &Path, size: u32) -> Result<Stage> {
    let folder = args.keep.as_deref().unwrap_or(scratch).join(format!("{}-{size}", place.name()));
    std::fs::create_dir_all(&folder)?;
    let database = match place {
        Place::Temporary(engine) => engine.fresh(),
        Place::Given(address, data) => Database::postgres_at(format!("{address}/itinerary_{size}"), data),
    };
    let accounts = (size / EACH).max(100);
    let began = Instant::now();
    let filled = Server::fill(program, &database, &folder, &[("--itineraries", size), ("--accounts", accounts)])?;
    let said = if filled { "filled in" } else { "found after" };
    eprintln!("{}: {size} itineraries {said} {:.0} s", place.name(), began.elapsed().as_secs_f64());
    if matches!(place, Place::Temporary(Engine::Sqlite)) {
        read_once(&folder.join("data/itinerary.db"))?;
    }
    let server = Server::start(program, database, args.durability, &folder)?;
    let numbers = numbers(accounts - BUILT_IN);
    let mut tokens = Vec::new();
    for number in numbers {
        tokens.push(server.token_for(&format!("traveller-{number}"))?);
    }
    let api = Api::new(server.address.clone(), String::new())?;
    let mut connection = api.connect()?;
    let travellers = tokens.into_iter().map(|token| traveller(&mut connection, token)).collect::<Result<_>>()?;
    drop(connection);
    Ok(Stage { size, server, travellers, api, chance: Chance::new(u64::from(size)) })
}

/// Reads a file, so that the system has it in memory, as far as it fits.
fn read_once(file: &Path) -> Result<()> {
    std::io::copy(&mut File::open(file)?, &mut std::io::sink())?;
    Ok(())
}

/// The numbers of the accounts that send requests: the one that owns the most, then ever further apart, because accounts
/// with high numbers own little.
fn numbers(generated: u32) -> Vec<u32> {
    let cube = u64::from(ACCOUNTS).pow(3);
    let number = |n: u32| u32::try_from(u64::from(n).pow(3) * u64::from(generated - 1) / cube).unwrap_or(n) + 1;
    (0..ACCOUNTS).map(number).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Reads the first page of an account's list, and each of the itineraries.
fn traveller(connection: &mut Connection<'_>, token: String) -> Result<Traveller> {
    let page = send(connection, &Request::new(Method::GET, "/v1/itineraries?limit=100".to_owned()), &token)?;
    let page: Value = serde_json::from_str(&page.body)?;
    let mut itineraries = Vec::new();
    for entry in page["data"].as_array().ok_or("no page")? {
        let id = entry["id"].as_str().ok_or("no id")?.to_owned();
        let read = send(connection, &Request::new(Method::GET, format!("/v1/itineraries/{id}")), &token)?;
        itineraries.push(Itinerary { id, etag: etag(&read)? });
    }
    Ok(Traveller { token, itineraries })
}

fn send(connection: &mut Connection<'_>, request: &Request, token: &str) -> Result<BenchResponse> {
    let response = connection.send_as(request, token)?;
    if response.status == 200 { Ok(response) } else { Err(format!("{}: {}", response.status, response.body).into()) }
}

fn etag(response: &BenchResponse) -> Result<String> {
    let tag = response.headers.iter().find(|(name, _)| name == "etag");
    Ok(tag.ok_or("an itinerary has no tag")?.1.clone())
}

/// Measures a request on all stages in turn.
fn costs(args: &Args, stages: &mut [Stage], case: Case) -> Result<Vec<Cost>> {
    let slice = Duration::from_secs(args.seconds) / SLICES;
    let mut costs = vec![Cost::default(); stages.len()];
    for stage in stages.iter_mut() {
        stage.run(case, slice)?;
    }
    for _ in 0..SLICES {
        for (stage, cost) in stages.iter_mut().zip(&mut costs) {
            let more = stage.run(case, slice)?;
            cost.requests += more.requests;
            cost.cpu += more.cpu;
            cost.elapsed += more.elapsed;
        }
    }
    Ok(costs)
}

impl Stage {
    fn run(&mut self, case: Case, duration: Duration) -> Result<Cost> {
        let Self { server, travellers, api, chance, size } = self;
        let mut connection = api.connect()?;
        let (before, began, mut requests) = (all(&server.cpu()), Instant::now(), 0);
        while began.elapsed() < duration || requests < LEAST {
            let number = if case == Case::ListOfMany { 0 } else { chance.below(travellers.len()) };
            let traveller = &mut travellers[number];
            let itinerary = chance.below(traveller.itineraries.len().max(1));
            let itinerary = traveller.itineraries.get_mut(itinerary);
            let request = match (case, &itinerary) {
                (Case::List | Case::ListOfMany, _) => Request::new(Method::GET, "/v1/itineraries?limit=25".to_owned()),
                (Case::Explore(query), _) => {
                    // As many digits as the largest number, because the last word of a query is a prefix.
                    let query = query.replace("@NUMBER@", &(*size - 1 - *size / 7).to_string());
                    Request::new(Method::GET, format!("/v1/explore?limit=25{query}"))
                }
                // An account without itineraries.
                (_, None) => continue,
                (Case::Get, Some(itinerary)) => Request::new(Method::GET, itinerary.path()),
                (Case::PatchTravellers, Some(itinerary)) => itinerary.patch(&json!({ "travellers": 1 + requests % 9 })),
                (Case::PatchTitle, Some(itinerary)) => {
                    itinerary.patch(&json!({ "title": format!("Renamed {requests}") }))
                }
            };
            let response = send(&mut connection, &request, &traveller.token)
                .map_err(|error| format!("{size} itineraries, {case:?}: {error}"))?;
            if let (Case::PatchTravellers | Case::PatchTitle, Some(itinerary)) = (case, itinerary) {
                itinerary.etag = etag(&response)?;
            }
            requests += 1;
        }
        Ok(Cost { requests, elapsed: began.elapsed(), cpu: all(&server.cpu()).saturating_sub(before) })
    }
}

impl Itinerary {
    fn path(&self) -> String {
        format!("/v1/itineraries/{}", self.id)
    }

    fn patch(&self, change: &Value) -> Request {
        Request::new(Method::PATCH, self.path()).body(&change.to_string()).header("If-Match", &self.etag)
    }
}

fn all(used: &Used) -> Duration {
    used.server.unwrap_or_default() + used.database.unwrap_or_default()
}

fn table(sizes: &[u32], lines: &[Line]) -> String {
    let mut text = "CPU time of the server and the database.\n\n| database | request |".to_owned();
    let mut rule = "|---|---|".to_owned();
    for size in sizes {
        write!(text, " {size}: CPU µs | {size}: latency µs |").expect("writing to a string");
        rule += "---:|---:|";
    }
    writeln!(text, " CPU ÷ first | allowed |\n{rule}---:|---:|").expect("writing to a string");
    for Line { database, request, limit, costs } in lines {
        write!(text, "| {database} | {request} |").expect("writing to a string");
        for cost in costs {
            write!(text, " {:.0} | {:.0} |", cost.cpu_micros(), cost.micros()).expect("writing to a string");
        }
        let first = costs.first().map_or(0.0, |cost| cost.cpu_micros());
        let ratios: Vec<_> = costs.iter().skip(1).map(|cost| format!("{:.2}", cost.cpu_micros() / first)).collect();
        writeln!(text, " {} | {limit:.2} |", ratios.join(", ")).expect("writing to a string");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_ratio_to_the_first_size() {
        let cost = |micros: u64| Cost {
            requests: 10,
            cpu: Duration::from_micros(micros * 10),
            elapsed: Duration::from_micros(micros * 20),
        };
        let costs = vec![cost(100), cost(130)];
        let table = table(&[1_000, 9_000], &[Line { database: "a", request: "read", limit: 1.25, costs }]);
        assert_eq!(table.lines().last(), Some("| a | read | 100 | 200 | 130 | 260 | 1.30 | 1.25 |"));
        let columns: Vec<_> = table.lines().skip(2).map(|line| line.matches('|').count()).collect();
        assert_eq!(columns, [9, 9, 9]);
    }

    #[test]
    fn accounts_are_spread_over_all() {
        for generated in [88, 99_988] {
            let numbers = numbers(generated);
            assert_eq!(numbers[0], 1);
            assert!((20..=60).contains(&numbers.len()), "{}", numbers.len());
            let last = *numbers.last().expect("a number");
            assert!(last <= generated && last > generated * 9 / 10, "{last}");
        }
    }
}
