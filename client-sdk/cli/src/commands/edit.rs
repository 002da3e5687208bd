//! The command `edit`. The edited text stays in a file until the server has stored it, so that nothing is lost: not by a
//! conflict, not by a mistake, not by a crash.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use anstyle::AnsiColor;
use itinerary_sdk::code;
use itinerary_sdk::types::Itinerary;
use reqwest::Method;
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};
use uuid::Uuid;

use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output, TITLE, colour};
use crate::prompt::{can_ask, confirm};
use crate::service::{Answer, Service};
use crate::{editor, json, merge, profile, text, trip};

/// What nobody edits: read-only fields, and documents, which have their own operations.
const HIDDEN: [&str; 11] = [
    "id",
    "role",
    "author",
    "createdAt",
    "updatedAt",
    "likesCount",
    "viewsCount",
    "savedFrom",
    "needsAttention",
    "publishedAt",
    "documents",
];
/// A diff of long texts becomes coarser after this time.
const DIFF_TIME: Duration = Duration::from_secs(2);

/// A version of the trip as it is edited.
struct Version {
    text: String,
    fields: Map<String, Value>,
    etag: String,
}

impl Version {
    fn of(answer: &Answer<Itinerary>) -> Result<Self, Failure> {
        let fields = json::fields(&answer.raw).unwrap_or_default();
        let shown = fields.iter().filter(|(name, _)| !HIDDEN.contains(&name.as_str()));
        let shown: Vec<_> =
            shown.map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), value.get())).collect();
        let text = json::pretty(&format!("{{{}}}", shown.join(",")));
        let fields = parse(&text)?;
        Ok(Self { text, fields, etag: answer.etag.clone() })
    }
}

/// The file that the editor opens.
struct Draft(PathBuf);

impl Draft {
    fn create(trip: &Itinerary) -> Result<Self, Failure> {
        let letters = trip.title.chars().filter(char::is_ascii_alphanumeric).take(24).collect::<String>();
        let mut file = tempfile::Builder::new();
        let file =
            file.prefix(&format!("{}-", letters.to_lowercase())).suffix(".json").tempfile_in(profile::edits()?)?;
        let (_, path) = file.keep().map_err(|error| error.error)?;
        Ok(Self(path))
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        Ok(crate::file::replace(&self.0, text.as_bytes(), true)?)
    }

    fn read(&self) -> Result<String, Failure> {
        Ok(fs::read_to_string(&self.0)?)
    }

    fn remove(&self) {
        // A file too many is harmless.
        let _ = fs::remove_file(&self.0);
    }

    fn kept(&self, failure: Failure) -> Failure {
        failure.and(&format!("your text is in {}", self.0.display()))
    }
}

pub(super) async fn run(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    // Fails before a text is kept that nobody has edited.
    editor::name()?;
    let id = trip::find(service, name).await?;
    let answer = service.trip(id).await?;
    let base = Version::of(&answer)?;
    let draft = Draft::create(&answer.value)?;
    draft.write(&base.text)?;
    let stored = match until_stored(service, id, base, &draft).await {
        Ok(stored) => stored,
        Err(failure) => return Err(draft.kept(failure)),
    };
    draft.remove();
    match stored {
        None => output.say("Nothing was changed."),
        Some(answer) => {
            trip::warn(output, &answer.value, |_| true);
            if output.json {
                return output.raw(&answer.raw);
            }
            output.say(&format!("Stored “{}”.", text::clean(&answer.value.title)))
        }
    }
}

/// Edits and sends until the server accepts it. `None` if nothing was changed.
async fn until_stored(
    service: &Service,
    id: Uuid,
    mut base: Version,
    draft: &Draft,
) -> Result<Option<Answer<Itinerary>>, Failure> {
    loop {
        editor::edit(&draft.0).await?;
        let edited = draft.read()?;
        let failure = match send(service, id, &base, &edited).await {
            Ok(stored) => return Ok(stored),
            Err(failure) => failure,
        };
        if failure.code.as_deref() == Some(code::ITINERARY_MODIFIED) {
            let theirs = Version::of(&service.trip(id).await?)?;
            show_conflict(&base, &edited, &theirs)?;
            if !can_ask() || !confirm("Edit again on top of the new version?", true).await? {
                return Err(failure);
            }
            // Where both have changed the same lines, the text has both, between markers.
            let merged = diffy::merge(&base.text, &edited, &theirs.text).unwrap_or_else(|marked| marked);
            draft.write(&merged)?;
            base = theirs;
        } else if failure.exit == Exit::Invalid && can_ask() {
            failure.print(false);
            if !confirm("Edit again?", true).await? {
                return Err(failure);
            }
        } else {
            return Err(failure);
        }
    }
}

/// Sends what differs from the version that was edited, on the condition that it is still the current one.
async fn send(service: &Service, id: Uuid, base: &Version, edited: &str) -> Result<Option<Answer<Itinerary>>, Failure> {
    let mut fields = parse(edited)?;
    merge::drop_stale_legs(&base.fields, &mut fields);
    let patch = merge::patch(&base.fields, &fields);
    if patch.is_empty() {
        return Ok(None);
    }
    let request = service
        .request(Method::PATCH, &format!("/v1/itineraries/{id}"), &[])
        .header("content-type", "application/merge-patch+json")
        .header("if-match", &base.etag)
        .body(Value::Object(patch).to_string());
    service.send(request).await.map(Some)
}

fn parse(edited: &str) -> Result<Map<String, Value>, Failure> {
    if edited.lines().any(|line| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>")) {
        let message =
            "the text has conflicts: choose between the lines from <<<<<<< to >>>>>>>, and remove the markers";
        return Err(Failure::new(Exit::Invalid, message));
    }
    match serde_json::from_str(edited) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Failure::new(Exit::Invalid, "the text must be a JSON object")),
        Err(error) => Err(Failure::new(Exit::Invalid, format!("the text is not JSON: {error}"))),
    }
}

/// Shows what somebody else changed, and what the caller changed, since the version that was opened.
fn show_conflict(base: &Version, edited: &str, theirs: &Version) -> Result<(), Failure> {
    let mut stderr = anstream::stderr().lock();
    let yellow = colour(AnsiColor::Yellow).bold();
    writeln!(stderr, "{yellow}The trip has changed since you opened it.{yellow:#}")?;
    for (title, new) in [("Their change", theirs.text.as_str()), ("Your change", edited)] {
        writeln!(stderr, "\n{TITLE}{title}{TITLE:#}")?;
        write_diff(&mut stderr, &base.text, new)?;
    }
    Ok(writeln!(stderr)?)
}

fn write_diff(out: &mut impl io::Write, old: &str, new: &str) -> io::Result<()> {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    for (at, group) in diff.grouped_ops(1).iter().enumerate() {
        if at > 0 {
            writeln!(out, "{DIM}  ⋮{DIM:#}")?;
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let style = match change.tag() {
                ChangeTag::Delete => colour(AnsiColor::Red),
                ChangeTag::Insert => colour(AnsiColor::Green),
                ChangeTag::Equal => DIM,
            };
            let line = text::clean(change.value().trim_end_matches('\n'));
            writeln!(out, "{style}{} {line}{style:#}", change.tag())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_without_markers_is_sent() {
        assert!(parse("{\"title\": \"a\"}").is_ok());
        for (text, word) in [
            ("[]", "an object"),
            ("{\"title\": }", "not JSON"),
            ("{\n<<<<<<< ours\n\"title\": \"a\"\n=======\n", "<<<<<<<"),
        ] {
            let failure = parse(text).unwrap_err();
            assert!(
                failure.exit == Exit::Invalid && failure.message().contains(word.trim_start_matches("an ")),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn changes_of_different_stops_are_merged() {
        let base = "{\n  \"stops\": [\n    {\"name\": \"a\"},\n    {\"name\": \"b\"},\n    {\"name\": \"c\"}\n  ]\n}\n";
        let (mine, theirs) = (base.replace("\"a\"", "\"mine\""), base.replace("\"c\"", "\"theirs\""));
        let merged = diffy::merge(base, &mine, &theirs).unwrap();
        assert_eq!(merged, mine.replace("\"c\"", "\"theirs\""));
        let marked = diffy::merge(base, &mine, &base.replace("\"a\"", "\"other\"")).unwrap_err();
        assert!(marked.contains("mine") && marked.contains("other") && parse(&marked).is_err());
    }

    #[test]
    fn a_diff_is_harmless_on_a_terminal() {
        let mut out = Vec::new();
        write_diff(&mut out, "a\n", "\u{202e}b\u{1b}[2J\n").unwrap();
        let plain = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
        assert!(plain == "- a\n+ b[2J\n", "{plain:?}");
    }
}
