//! `cargo xtask bench --instructions`: the number of processor instructions of each request, counted by callgrind.
//!
//! Unlike times, these numbers hardly depend on the machine and not on its load, so CI compares them with those of the
//! last commit in `instructions.tsv`. They belong to the program that the tests use, in the profile `dev`. Only on SQLite,
//! and without the kernel's work.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cases::Case;
use super::fill::{self, Api};
use super::process::{Binaries, Database, Program, Server};
use super::{Args, Result};

/// The requests that are counted, one of each kind of work.
const COUNTED: [Case; 13] = [
    Case::Get8k,
    Case::GetTrip,
    Case::McpTrip,
    Case::NotModified,
    Case::List,
    Case::List100,
    Case::Unauthenticated,
    Case::NotFound,
    Case::Patch8k,
    Case::Stop,
    Case::StopKeyed,
    Case::StopMove,
    Case::Create,
];

/// Requests before those that are counted, which fill caches and prepare statements.
const WARM_UP: usize = 4;

/// Requests of which the average is taken.
const REQUESTS: usize = 4;

/// How often that is done. The least average counts, because the server's jobs only add to the others, and run in few rounds
/// if these are short.
const ROUNDS: usize = 8;

/// The largest accepted difference from the recorded number, as a share of it.
const TOLERANCE: f64 = 0.05;

/// Counts, compares with the recorded numbers, and fails if one differs by more than 5 %. With `--record`, records the new
/// numbers instead.
///
/// Exits with code 2 if valgrind is not installed.
pub(super) fn run(args: &Args, binaries: &Binaries, scratch: &Path) -> Result<String> {
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("counting instructions needs valgrind, which is not installed; on Debian: apt-get install valgrind");
        std::process::exit(2);
    }
    let [program] = binaries.servers.as_slice() else { return Err("give one --server".into()) };
    let cases = chosen(args);
    if cases.is_empty() {
        return Err("--only names no request whose instructions are counted".into());
    }
    if let Some(folder) = &args.profiles {
        fs::create_dir_all(folder)?;
    }
    let counted = count(program, scratch, &cases, args.profiles.as_deref())?;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/instructions.tsv");
    if args.record {
        fs::write(&file, rows(&counted))?;
        return Ok(rows(&counted));
    }
    let recorded = parse(&fs::read_to_string(&file)?)?;
    let (table, differs) = compare(&recorded, &counted);
    if !differs {
        return Ok(table);
    }
    print!("{table}");
    Err("a request needs another number of instructions than before. If that is intended, run `cargo xtask bench \
         --instructions --record` with the same --server and say why in the commit"
        .into())
}

/// The requests that `--only` names, or all.
fn chosen(args: &Args) -> Vec<Case> {
    COUNTED.into_iter().filter(|case| args.only.is_empty() || args.only.contains(case)).collect()
}

/// Instructions for each request, by the name of the case.
type Counts = BTreeMap<String, u64>;

/// Counts, and writes the profile of the last round of each case to the folder.
fn count(program: &Program, scratch: &Path, cases: &[Case], profiles: Option<&Path>) -> Result<Counts> {
    // Filled without callgrind, under which the program is some fifty times slower.
    let server = Server::start(program, Database::sqlite(), None, scratch)?;
    let token = server.token()?;
    let mut filled = fill::fill(&Api::new(server.address.clone(), token.clone())?, "sqlite")?;
    drop(server);

    let dumps = Dumps { file: scratch.join("callgrind.out"), taken: 0 };
    let server = Server::start(&program.under(&dumps.command()), Database::sqlite(), None, scratch)?;
    let mut counting = Counting { process: server.id(), dumps };
    let api = Api::new(server.address.clone(), token)?;
    filled.read_tag(&api)?;
    let mut connection = api.connect()?;
    let mut turn = 0;
    let mut send = |case: Case, number: usize| -> Result<()> {
        for _ in 0..number {
            turn += 1;
            let response = connection.send(&case.request(&filled, turn))?;
            if response.status != case.expected_status() {
                return Err(format!("{}: {}: {}", case.name(), response.status, response.body).into());
            }
        }
        Ok(())
    };
    let mut counts = Counts::new();
    for case in cases {
        send(*case, WARM_UP)?;
        counting.take()?;
        let mut least = u64::MAX;
        for _ in 0..ROUNDS {
            send(*case, REQUESTS)?;
            least = least.min(counting.take()? / REQUESTS as u64);
        }
        counts.insert(case.name().to_owned(), least);
        if let Some(folder) = profiles {
            fs::copy(counting.dumps.last(), folder.join(case.name()))?;
        }
    }
    Ok(counts)
}

/// The files into which callgrind writes its counts.
struct Dumps {
    file: PathBuf,
    taken: usize,
}

impl Dumps {
    /// The program that counts the instructions of another.
    fn command(&self) -> Vec<String> {
        let file = format!("--callgrind-out-file={}", self.file.display());
        ["valgrind", "--quiet", "--tool=callgrind", &file].map(str::to_owned).to_vec()
    }

    /// The file that was written last.
    fn last(&self) -> PathBuf {
        let mut file = self.file.clone().into_os_string();
        file.push(format!(".{}", self.taken));
        file.into()
    }
}

struct Counting {
    process: u32,
    dumps: Dumps,
}

impl Counting {
    /// The instructions since the last call.
    fn take(&mut self) -> Result<u64> {
        let output = Command::new("callgrind_control").arg("--dump").arg(self.process.to_string()).output()?;
        if !output.status.success() {
            return Err(format!("callgrind_control: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        self.dumps.taken += 1;
        let text = String::from_utf8_lossy(&fs::read(self.dumps.last())?).into_owned();
        let total = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
        Ok(total.ok_or("callgrind wrote no totals")?.trim().parse()?)
    }
}

/// The content of the file of recorded numbers.
fn rows(counts: &Counts) -> String {
    let mut text = "# Instructions for each request, by `cargo xtask bench --instructions --record`.\n".to_owned();
    for (name, count) in counts {
        writeln!(text, "{name}\t{count}").expect("writing to a string");
    }
    text
}

fn parse(text: &str) -> Result<Counts> {
    let row = |line: &str| -> Result<(String, u64)> {
        let (name, count) = line.split_once('\t').ok_or("a recorded row has no tab")?;
        Ok((name.to_owned(), count.parse()?))
    };
    text.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

/// A table of both, and whether a count differs by more than the tolerance or was never recorded.
fn compare(recorded: &Counts, counted: &Counts) -> (String, bool) {
    let mut table = "| request | recorded | now | ratio |\n|---|---|---|---|\n".to_owned();
    let mut differs = false;
    for (name, now) in counted {
        let before = recorded.get(name).copied().unwrap_or_default();
        let ratio = as_float(*now) / as_float(before);
        differs |= (ratio - 1.0).abs() > TOLERANCE;
        writeln!(table, "| {name} | {before} | {now} | {ratio:.3} |").expect("writing to a string");
    }
    (table, differs)
}

#[expect(clippy::cast_precision_loss, reason = "far fewer instructions than 2^52")]
fn as_float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(rows: &[(&str, u64)]) -> Counts {
        rows.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn recorded_numbers_are_read_as_written() {
        let written = counts(&[("get-8k", 1_000_000), ("list", 2)]);
        assert_eq!(parse(&rows(&written)).expect("rows"), written);
        assert!(parse("get-8k 5").is_err());
    }

    #[test]
    fn five_percent_are_tolerated_in_either_direction() {
        let recorded = counts(&[("get-8k", 1_000)]);
        for (now, differs) in [(1_000, false), (1_049, false), (951, false), (1_051, true), (949, true)] {
            assert_eq!(compare(&recorded, &counts(&[("get-8k", now)])).1, differs, "{now}");
        }
        assert!(compare(&recorded, &counts(&[("unknown", 1)])).1);
    }

    #[test]
    fn every_recorded_request_is_counted() {
        let recorded = parse(include_str!("instructions.tsv")).expect("rows");
        let names: Counts = COUNTED.into_iter().map(|case| (case.name().to_owned(), 0)).collect();
        assert_eq!(recorded.keys().collect::<Vec<_>>(), names.keys().collect::<Vec<_>>());
    }
}
