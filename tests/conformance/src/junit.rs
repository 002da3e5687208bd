//! The report as JUnit XML, which CI systems show.

use std::fmt::Write;

use crate::report::{Outcome, Report, Tested};

/// The report as JUnit XML: one test suite, and a test case for each row.
pub(crate) fn xml(report: &Report) -> String {
    let (failed, skipped) = (report.failed().count(), report.skipped().count());
    let (tests, time) = (report.rows.len(), report.seconds);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let counts =
        format!("tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"{time:.3}\"");
    _ = writeln!(xml, "  <testsuite name=\"conformance\" hostname=\"{}\" {counts}>", escaped(&report.base_url));
    for row in &report.rows {
        let (class, name) = row.id.rsplit_once('.').unwrap_or(("conformance", &row.id));
        let (class, name, time) = (escaped(class), escaped(name), row.seconds);
        let head = format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"{time:.3}\"");
        _ = match &row.outcome {
            Outcome::Passed => writeln!(xml, "{head}/>"),
            Outcome::Skipped { reason } => {
                writeln!(xml, "{head}><skipped message=\"{}\"/></testcase>", escaped(reason))
            }
            Outcome::Failed(failure) => {
                let (message, text) = (escaped(&message(row, &failure.expected)), escaped(&row.to_string()));
                writeln!(xml, "{head}><failure message=\"{message}\">{text}</failure></testcase>")
            }
        };
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn message(row: &Tested, expected: &str) -> String {
    format!("{} ({}) Expected: {expected}", row.promise, row.source())
}

/// Text for XML: escaped, without characters that XML 1.0 does not allow.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ if character.is_control() => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::xml;
    use crate::outcome::Failure;
    use crate::report::{Outcome, Report, Tested};

    fn tested(id: &str, outcome: Outcome) -> Tested {
        let (section, promise) = ("4.2".to_owned(), "Holds.".to_owned());
        Tested { id: id.to_owned(), section, promise, seconds: 0.25, outcome }
    }

    #[test]
    fn failures_and_skipped_rows_are_shown_with_their_reasons() {
        let failure = Failure {
            expected: "status 201".to_owned(),
            request: "curl '<&>'".to_owned(),
            response: "HTTP 200\u{0}".to_owned(),
        };
        let rows = vec![
            tested("a.passed", Outcome::Passed),
            tested("a.failed", Outcome::Failed(Box::new(failure))),
            tested("a.skipped", Outcome::Skipped { reason: "needs \"Pro\"".to_owned() }),
        ];
        let base_url = "http://localhost".to_owned();
        let report = Report {
            base_url,
            seconds: 1.0,
            waited: 0,
            interrupted: false,
            undeclared: Vec::new(),
            remain: Vec::new(),
            rows,
        };
        let xml = xml(&report);
        assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.000\""), "{xml}");
        assert!(xml.contains("<testcase classname=\"a\" name=\"passed\" time=\"0.250\"/>"), "{xml}");
        assert!(xml.contains("<skipped message=\"needs &quot;Pro&quot;\"/>"), "{xml}");
        assert!(xml.contains("message=\"Holds. (specification, section 4.2) Expected: status 201\""), "{xml}");
        assert!(xml.contains("curl '&lt;&amp;&gt;'") && xml.contains("HTTP 200\u{fffd}"), "{xml}");
    }
}
