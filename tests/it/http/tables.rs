//! Tables of the server's answers, compared with committed ones in `snapshots`, whose changes are to be read.
//!
//! This file formats and compares lines; the callers decide what the tables contain.

/// Compares a table with the committed one of this name, below a description. If they differ, the test fails, or with
/// `INSTA_UPDATE=always` renews the file.
pub(super) fn assert_committed(name: &str, about: &str, table: &str) {
    let about: String = about.lines().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, format!("{about}\n{table}")));
}

/// Groups people with the same responses. A group that splits shows a new difference between people.
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

/// A line of a table: who, and a column for each response.
pub(super) fn line<C: AsRef<str>>(who: &str, columns: &[C]) -> String {
    let columns = columns.iter().map(AsRef::as_ref);
    let line = columns.fold(format!("    {who:<40}"), |line, column| format!("{line}{column:<26}"));
    format!("{}\n", line.trim_end())
}

#[test]
fn people_with_equal_responses_form_one_group() {
    let rows = [("a", "x"), ("b", "y"), ("c", "x")].map(|(who, told)| (who, vec![told.to_owned()]));
    let groups: Vec<_> = grouped(rows).into_iter().map(|(who, told)| (who, told.concat())).collect();
    assert_eq!(groups, [(vec!["a", "c"], "x".to_owned()), (vec!["b"], "y".to_owned())]);
}
