//! The command `edit`. The server merges the edit with what others have changed meanwhile. The edited text stays in a file
//! until the server has stored it, so that nothing is lost: not by a conflict, not by a mistake, not by a crash.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use anstyle::AnsiColor;
use itinerary_sdk::code;
use itinerary_sdk::types::{Itinerary, MergeConflict};
use reqwest::Method;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output, TITLE, colour};
use crate::prompt::{can_ask, confirm};
use crate::service::{Answer, Service};
use crate::{editor, json, patch, profile, text, trip};

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
/// The longest value that is shown of a conflict, in characters.
const LONGEST_VALUE: usize = 300;

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
    let stored = match until_stored(service, output, id, base, &draft).await {
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
            let others = if answer.is_merged { ", together with what others have changed meanwhile" } else { "" };
            output.say(&format!("Stored “{}”{others}.", text::clean(&answer.value.title)))
        }
    }
}

/// Edits and sends until the server accepts it. `None` if nothing was changed.
async fn until_stored(
    service: &Service,
    output: Output,
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
            if output.json && !can_ask() {
                return Err(failure);
            }
            let theirs = Version::of(&service.trip(id).await?)?;
            show_conflicts(&failure.conflicts)?;
            if !can_ask() || !confirm("Edit again on top of the new version?", true).await? {
                return Err(failure);
            }
            // Where both have changed the same lines, the text has both, between markers.
            let both = diffy::merge(&base.text, &edited, &theirs.text).unwrap_or_else(|marked| marked);
            draft.write(&both)?;
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

/// Sends what differs from the version that was edited. If there is a newer one, the server merges.
async fn send(service: &Service, id: Uuid, base: &Version, edited: &str) -> Result<Option<Answer<Itinerary>>, Failure> {
    let mut fields = parse(edited)?;
    patch::drop_stale_legs(&base.fields, &mut fields);
    let changed = patch::between(&base.fields, &fields);
    if changed.is_empty() {
        return Ok(None);
    }
    let request = service
        .request(Method::PATCH, &format!("/v1/itineraries/{id}"), &[])
        .header("content-type", "application/merge-patch+json")
        .header("if-match", &base.etag)
        .header("prefer", "merge")
        .body(Value::Object(changed).to_string());
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

/// Shows what others and the caller have changed, differently, since the version that was opened.
fn show_conflicts(conflicts: &[MergeConflict]) -> Result<(), Failure> {
    let mut stderr = anstream::stderr().lock();
    let yellow = colour(AnsiColor::Yellow).bold();
    writeln!(stderr, "{yellow}The trip has changed since you opened it.{yellow:#}\n")?;
    for conflict in conflicts {
        write_conflict(&mut stderr, conflict)?;
    }
    Ok(())
}

fn write_conflict(out: &mut impl io::Write, conflict: &MergeConflict) -> io::Result<()> {
    let MergeConflict { path, base, current, yours } = conflict;
    writeln!(out, "{TITLE}{}{TITLE:#}", text::clean(path))?;
    let rows = [
        ("before", base, DIM),
        ("theirs", current, colour(AnsiColor::Red)),
        ("yours", yours, colour(AnsiColor::Green)),
    ];
    for (whose, value, style) in rows {
        writeln!(out, "  {whose:<6}  {style}{}{style:#}", shown(value))?;
    }
    writeln!(out)
}

/// A value of a conflict on one line.
fn shown(value: &Value) -> String {
    let line = if value.is_null() { "none".to_owned() } else { json::one_line(&value.to_string()) };
    match line.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
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
    fn a_conflict_is_harmless_on_a_terminal_and_short() {
        let conflict = MergeConflict {
            path: "days[id=a].stops[id=b].name\u{7}".to_owned(),
            base: Value::Null,
            current: Value::from("\u{202e}b\u{1b}[2J"),
            yours: Value::from("x".repeat(LONGEST_VALUE)),
        };
        let mut out = Vec::new();
        write_conflict(&mut out, &conflict).unwrap();
        let plain = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
        let yours = format!("\"{}…", "x".repeat(LONGEST_VALUE - 1));
        let expected = format!(
            "days[id=a].stops[id=b].name\n  before  none\n  theirs  \"\\u202eb\\u001b[2J\"\n  yours   {yours}\n\n"
        );
        assert_eq!(plain, expected);
    }
}
