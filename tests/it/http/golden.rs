//! Texts that are compared with committed ones: what the server answers, to be read when it changes.
//!
//! What the texts are about is for those who make them; here are only their lines, and the comparison.

use std::env;
use std::fs;
use std::sync::OnceLock;

use similar::TextDiff;

/// A committed text, `<name>.golden.txt`, of the tests in the module of that name.
pub(super) struct Golden {
    name: &'static str,
    renewed: OnceLock<String>,
}

impl Golden {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, renewed: OnceLock::new() }
    }

    fn file(&self) -> String {
        format!("{}.golden.txt", self.name)
    }

    fn how_to_renew(&self) -> String {
        format!("UPDATE_GOLDEN=1 cargo test -p conformance --test it http::{}", self.name)
    }

    /// The first lines of the text: what it is, and how it is renewed.
    pub(super) fn head(&self, about: &str) -> String {
        let lines = about.lines().map(|line| format!("# {line}").trim_end().to_owned() + "\n");
        let renew = "# Generated. To renew it, and then to read what is different:";
        format!("{}#\n{renew}\n#     {}\n", lines.collect::<String>(), self.how_to_renew())
    }

    /// Compares the text with the committed one, or renews that one where it is asked for.
    pub(super) fn check(&self, text: &str) {
        let path = format!("{}/it/http/{}", env!("CARGO_MANIFEST_DIR"), self.file());
        let committed = if may_write(env::var("UPDATE_GOLDEN").ok().as_deref(), env::var("CI").ok().as_deref()) {
            // The first to come writes; both databases are compared with what was written.
            self.renewed.get_or_init(|| {
                fs::write(path, text).expect("the golden file can be written");
                text.to_owned()
            })
        } else {
            // Where there is no file, every line differs.
            &fs::read_to_string(path).unwrap_or_default()
        };
        if let Some(difference) = difference(&self.file(), committed, text) {
            let (file, renew) = (self.file(), self.how_to_renew());
            panic!("access is not what {file} says. Where it is meant: {renew}\n\n{difference}");
        }
    }
}

/// Whether the file is renewed: where it is asked for, and never in CI.
fn may_write(update: Option<&str>, ci: Option<&str>) -> bool {
    update == Some("1") && ci.is_none()
}

/// How two texts differ, with the lines around; `None`: not at all.
fn difference(file: &str, committed: &str, now: &str) -> Option<String> {
    let differ = committed != now;
    differ.then(|| {
        let lines = TextDiff::from_lines(committed, now);
        lines.unified_diff().context_radius(4).header(file, "the server's answers").to_string()
    })
}

/// Those who are answered alike, with what: a group that parts in two is a difference between people that was not there
/// before.
pub(super) fn grouped<W>(rows: impl IntoIterator<Item = (W, Vec<String>)>) -> Vec<(Vec<W>, Vec<String>)> {
    let mut groups: Vec<(Vec<W>, Vec<String>)> = Vec::new();
    for (who, columns) in rows {
        match groups.iter_mut().find(|(_, known)| *known == columns) {
            Some((alike, _)) => alike.push(who),
            None => groups.push((vec![who], columns)),
        }
    }
    groups
}

/// A line of a table: who, and a column for each answer.
pub(super) fn line<C: AsRef<str>>(who: &str, columns: &[C]) -> String {
    let columns = columns.iter().map(AsRef::as_ref);
    let line = columns.fold(format!("    {who:<40}"), |line, column| format!("{line}{column:<26}"));
    format!("{}\n", line.trim_end())
}

#[test]
fn the_golden_file_is_written_on_request_and_never_in_ci() {
    assert!(may_write(Some("1"), None));
    for (update, ci) in [(None, None), (Some("0"), None), (Some("1"), Some("true")), (Some("1"), Some(""))] {
        assert!(!may_write(update, ci), "{update:?} {ci:?}");
    }
}

#[test]
fn a_difference_shows_both_lines() {
    assert_eq!(difference("a.txt", "a\nb\n", "a\nb\n"), None);
    let shown = difference("a.txt", "a\nb\n", "a\nc\n").expect("a difference");
    assert!(shown.contains("\n-b\n+c\n"), "{shown}");
}

#[test]
fn those_who_are_answered_alike_are_one_group() {
    let rows = [("a", "x"), ("b", "y"), ("c", "x")].map(|(who, told)| (who, vec![told.to_owned()]));
    let groups: Vec<_> = grouped(rows).into_iter().map(|(who, told)| (who, told.concat())).collect();
    assert_eq!(groups, [(vec!["a", "c"], "x".to_owned()), (vec!["b"], "y".to_owned())]);
}
