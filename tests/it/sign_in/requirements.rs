//! The list of requirements of sign-in, and a check that a test names each of them.

use std::fs;
use std::path::Path;

/// The requirements of OAuth (discovery, registration, authorisation and consent, tokens, revocation and use), and of the
/// other ways in (`W`: personal access tokens, sign-up, secret links, reset links, e-mail, one-time codes, passkeys,
/// moderation, the audit log). The tests that name them say what they demand.
const LINES: &str = "
    O-01 O-02 O-03 O-04 O-05 O-06 O-07 O-08
    R-01 R-02 R-03 R-04 R-05 R-06 R-07 R-08
    A-01 A-02 A-03 A-04 A-05 A-06 A-07 A-08 A-09 A-10 A-11 A-12 A-13 A-14 A-15
    T-01 T-02 T-03 T-04 T-05 T-06 T-07 T-08 T-09 T-10 T-11 T-12 T-13 T-14 T-15 T-16 T-17 T-18 T-19
    V-01 V-02 V-03 V-04 V-05 V-06
    W-01 W-02 W-03 W-04 W-05 W-06 W-07 W-08 W-09 W-10 W-11 W-12 W-13 W-14 W-15 W-16 W-17 W-18 W-19 W-20 W-21 W-22
    W-30 W-31 W-32 W-33 W-34 W-35 W-36 W-37 W-38 W-39
    W-40 W-41 W-42 W-43 W-44 W-45 W-46 W-47 W-48 W-49
    W-50 W-51 W-52 W-53 W-54 W-55 W-56 W-57
    W-60 W-61 W-62 W-63 W-64 W-65
";

/// The text of all other tests.
fn tests(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the tests' folder").map(|entry| entry.expect("an entry").path());
    entries.fold(String::new(), |text, path| {
        if path.is_dir() {
            text + &tests(&path)
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("sign_in/requirements.rs") {
            text + &fs::read_to_string(&path).expect("a file")
        } else {
            text
        }
    })
}

/// Whether a text contains a label as a whole word.
fn names(text: &str, line: &str) -> bool {
    let is_word = |character: char| character.is_ascii_alphanumeric();
    text.match_indices(line)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + line.len()..].starts_with(is_word))
}

#[test]
fn every_line_is_named_by_a_test() {
    let text: String =
        ["it", "operations"].map(|target| tests(&Path::new(env!("CARGO_MANIFEST_DIR")).join(target))).concat();
    assert!(text.contains("fn "), "there are tests");
    assert_eq!(LINES.split_whitespace().count(), 112);
    let missing: Vec<_> = LINES.split_whitespace().filter(|line| !names(&text, line)).collect();
    assert!(missing.is_empty(), "lines that no test names: {missing:?}");
}

#[test]
fn a_name_is_a_whole_word() {
    assert!(names("// T-10: and O-05.", "T-10") && names("(A-08, T-01)", "A-08"));
    assert!(!names("// T-100, AT-10, ", "T-10"));
}
