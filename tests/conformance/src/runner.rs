//! Runs the rows.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{FutureExt, StreamExt, stream};

use crate::Options;
use crate::context::Context;
use crate::outcome::Stop;
use crate::report::{Outcome, Report, Tested};
use crate::row::Row;
use crate::service::Service;
use crate::travellers::Travellers;

/// The number of rows that run at the same time. Many, because some of them wait for rate limits; the number of
/// requests has a bound of its own.
const AT_ONCE: usize = 48;
/// The longest time for a row, waiting for rate limits included.
const ROW_TIMEOUT: Duration = Duration::from_mins(4);

/// Runs the selected rows. Ends early, with a report of the rows so far, when `interrupted` does. Fails if the service
/// cannot be reached, or travellers cannot be signed up.
pub async fn run(options: &Options, rows: Vec<Row>, interrupted: impl Future<Output = ()>) -> Result<Report, String> {
    let started = Instant::now();
    let rows = rows.into_iter().filter(|row| is_selected(&row.id, &options.only));
    let rows: Vec<Row> = rows.filter(|row| !options.paused || row.id.starts_with("paused.")).collect();
    if rows.is_empty() {
        return Err("no row matches --only".to_owned());
    }
    let service = Service::new(&options.base_url, &options.replicas)?;
    service.reach().await?;
    let gathered = Travellers::gather(&service, options).await;
    let travellers = Arc::new(gathered.map_err(|stop| format!("no travellers: {}", explained(stop)))?);
    let (limits, paused) = (options.limits, options.paused);
    let context = Context {
        service: Arc::clone(&service),
        travellers: Arc::clone(&travellers),
        limits,
        paused,
        document: Arc::default(),
    };
    let mut tested = Vec::new();
    let count = rows.len();
    {
        let mut running =
            stream::iter(rows.into_iter().enumerate().map(|(index, row)| test(index, row, context.clone())))
                .buffer_unordered(AT_ONCE)
                .boxed();
        let mut interrupted = Box::pin(interrupted.fuse());
        loop {
            tokio::select! {
                () = &mut interrupted => break,
                next = running.next() => match next {
                    Some(row) => tested.push(row),
                    None => break,
                },
            }
        }
    }
    let interrupted = tested.len() < count;
    tested.sort_by_key(|(index, _)| *index);
    let mut rows: Vec<Tested> = tested.into_iter().map(|(_, row)| row).collect();
    let undeclared: Vec<String> = service.undeclared().into_iter().collect();
    if options.strict {
        rows.push(declared(&undeclared));
    }
    let remain = travellers.leave().await;
    let (seconds, waited) = (started.elapsed().as_secs_f64(), service.waited());
    Ok(Report { base_url: options.base_url.clone(), seconds, waited, interrupted, undeclared, remain, rows })
}

async fn test(index: usize, row: Row, context: Context) -> (usize, Tested) {
    let started = Instant::now();
    let check = tokio::time::timeout(ROW_TIMEOUT, AssertUnwindSafe(row.check(context)).catch_unwind());
    let outcome = match check.await {
        Ok(Ok(Ok(()))) => Outcome::Passed,
        Ok(Ok(Err(Stop::Failed(failure)))) => Outcome::Failed(failure),
        Ok(Ok(Err(Stop::Skipped(reason)))) => Outcome::Skipped { reason },
        Ok(Err(_)) => failed("the check to end without a panic of its own"),
        Err(_) => failed(&format!("the check to end within {} s", ROW_TIMEOUT.as_secs())),
    };
    let seconds = started.elapsed().as_secs_f64();
    (index, Tested { id: row.id, section: row.section, promise: row.promise, seconds, outcome })
}

/// The row of `--strict`: what all responses of the run had in common.
fn declared(undeclared: &[String]) -> Tested {
    let outcome = match undeclared {
        [] => Outcome::Passed,
        fields => failed(&format!("no other fields in responses than the document's; found {}", fields.join(", "))),
    };
    let promise = "The OpenAPI document declares every field of a response.".to_owned();
    Tested { id: "document.fields.declared".to_owned(), section: "schemas".to_owned(), promise, seconds: 0.0, outcome }
}

fn failed(expected: &str) -> Outcome {
    match Stop::failed(expected) {
        Stop::Failed(failure) => Outcome::Failed(failure),
        Stop::Skipped(reason) => Outcome::Skipped { reason },
    }
}

fn explained(stop: Stop) -> String {
    match stop {
        Stop::Failed(failure) => {
            format!("expected {}\n{}\n{}", failure.expected, failure.request, failure.response)
        }
        Stop::Skipped(reason) => reason,
    }
}

/// Whether an id matches one of the patterns, or there are none.
pub(crate) fn is_selected(id: &str, patterns: &[String]) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| matches(id, pattern))
}

/// Whether an id matches a pattern: `*` stands for any text, and a pattern without one for the ids that begin so.
fn matches(id: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return id.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    };
    let Some(mut left) = id.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_select_ids() {
        for (id, pattern) in [
            ("itinerary.create.minimal", "itinerary.create.minimal"),
            ("itinerary.create.minimal", "itinerary"),
            ("itinerary.create.minimal", "itinerary.*"),
            ("itinerary.create.minimal", "*.minimal"),
            ("itinerary.create.minimal", "it*create*mal"),
            ("itinerary.create.minimal", "*"),
        ] {
            assert!(matches(id, pattern), "{id} {pattern}");
        }
        for (id, pattern) in [
            ("itinerary.create.minimal", "itin"),
            ("itinerary.create.minimal", "create"),
            ("itinerary.create.minimal", "*.create"),
            ("aa", "a*a*a"),
        ] {
            assert!(!matches(id, pattern), "{id} {pattern}");
        }
    }
}
