//! The report of a run: as a table for people, and as JSON.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use crate::outcome::Failure;

/// The report of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub base_url: String,
    pub seconds: f64,
    /// The seconds that requests waited for rate limits, added up.
    pub waited: u64,
    /// Whether the run ended before all rows were checked.
    pub interrupted: bool,
    /// The fields of responses that the OpenAPI document does not declare, each with its operation and status.
    pub undeclared: Vec<String>,
    /// What the run created and could not delete.
    pub remain: Vec<String>,
    pub rows: Vec<Tested>,
}

/// A row with its outcome.
#[derive(Debug, Serialize)]
pub struct Tested {
    pub id: String,
    pub section: String,
    pub promise: String,
    pub seconds: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
}

#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    Passed,
    Failed(Box<Failure>),
    Skipped { reason: String },
}

impl Report {
    pub fn passed(&self) -> usize {
        self.rows.iter().filter(|row| matches!(row.outcome, Outcome::Passed)).count()
    }

    /// The rows that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Tested> {
        self.rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed(_)))
    }

    /// The rows that were skipped.
    pub fn skipped(&self) -> impl Iterator<Item = &Tested> {
        self.rows.iter().filter(|row| matches!(row.outcome, Outcome::Skipped { .. }))
    }

    /// The whole report as JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }
}

impl Tested {
    /// Where the promise is made.
    pub fn source(&self) -> String {
        source(&self.section)
    }
}

/// Where a promise is made, in words.
pub(crate) fn source(section: &str) -> String {
    if section.starts_with(|first: char| first.is_ascii_digit()) {
        format!("specification, section {section}")
    } else if section.starts_with(|first: char| first.is_ascii_uppercase()) {
        // A standard.
        section.to_owned()
    } else {
        format!("OpenAPI document, {section}")
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|row| row.id.len()).max().unwrap_or_default();
        for row in &self.rows {
            let (word, note) = match &row.outcome {
                Outcome::Passed => ("passed ", String::new()),
                Outcome::Failed(_) => ("FAILED ", String::new()),
                Outcome::Skipped { reason } => ("skipped", format!("  {reason}")),
            };
            writeln!(f, "{word}  {:width$}  {:>7.2} s  {}{note}", row.id, row.seconds, row.section)?;
        }
        for row in self.failed() {
            write!(f, "\n{row}")?;
        }
        let (passed, failed, skipped) = (self.passed(), self.failed().count(), self.skipped().count());
        let (seconds, waited) = (self.seconds, self.waited);
        writeln!(f, "\n{passed} passed, {failed} failed, {skipped} skipped in {seconds:.1} s")?;
        if waited > 0 {
            writeln!(f, "Requests waited {waited} s in all for rate limits.")?;
        }
        if self.interrupted {
            writeln!(f, "Interrupted: the other rows were not checked.")?;
        }
        if !self.undeclared.is_empty() {
            writeln!(f, "Warning: the OpenAPI document does not declare {}.", self.undeclared.join(", "))?;
        }
        if !self.remain.is_empty() {
            writeln!(f, "Remain on the server: {}.", self.remain.join(", "))?;
        }
        Ok(())
    }
}

/// A failure with everything that is needed to repeat it.
impl Display for Tested {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Outcome::Failed(failure) = &self.outcome else { return writeln!(f, "{}", self.id) };
        writeln!(f, "{}\n  Promise: {} ({})", self.id, self.promise, self.source())?;
        writeln!(f, "  Expected: {}", failure.expected)?;
        for (title, text) in [("Request", &failure.request), ("Response", &failure.response)] {
            if !text.is_empty() {
                writeln!(f, "  {title}:")?;
                for line in text.lines() {
                    writeln!(f, "    {line}")?;
                }
            }
        }
        Ok(())
    }
}
