//! The released documents, `openapi/released/VERSION.json`. CHANGELOG.md must name every breaking
//! difference from the last one.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use dropshot::semver::Version;
use serde_json::Value;

use super::compare::{Break, breaks};
use crate::generated::root;

const FOLDER: &str = "openapi/released";
const CHANGELOG: &str = "CHANGELOG.md";

/// The released document of a version.
pub(crate) fn file(version: &Version) -> String {
    format!("{FOLDER}/{version}.json")
}

/// Fails on breaking differences from the last released document that CHANGELOG.md does not name.
pub(crate) fn check() -> Result<(), Box<dyn Error>> {
    println!("{}", check_in(&root(), &super::document()?)?);
    Ok(())
}

/// Writes the document as the released one of its version.
pub(crate) fn release() -> Result<(), Box<dyn Error>> {
    println!("{}", release_in(&root(), &super::text()?)?);
    Ok(())
}

fn check_in(root: &Path, document: &Value) -> Result<String, Box<dyn Error>> {
    let Some((version, released)) = last(root)? else { return Ok("no document has been released yet".to_owned()) };
    let found = breaks(&released, document);
    let changelog = fs::read_to_string(root.join(CHANGELOG))?;
    let count = found.len();
    let unnamed: Vec<_> = found.into_iter().filter(|found| !is_named(&changelog, found)).collect();
    if unnamed.is_empty() {
        let named = format!("breaking differences from {version}: {count}, all named in {CHANGELOG}");
        return Ok(if count == 0 { format!("no breaking difference from {version}") } else { named });
    }
    let lines: Vec<_> = lines(&unnamed).into_iter().map(|line| format!("- `{line}`\n")).collect();
    let message = format!(
        "breaking differences from {version}. Undo them, or add these list items to {CHANGELOG} under Unreleased, and say \
         what clients have to do:\n\n{}",
        lines.concat()
    );
    Err(message.into())
}

fn release_in(root: &Path, text: &str) -> Result<String, Box<dyn Error>> {
    let document: Value = serde_json::from_str(text)?;
    let version = Version::parse(document["info"]["version"].as_str().ok_or("the document has no version")?)?;
    let file = file(&version);
    let path = root.join(&file);
    if path.exists() {
        let same = fs::read_to_string(&path)? == text;
        let differs = || format!("{file} is released and differs: set another version in Cargo.toml");
        return if same { Ok(format!("{file} is there already")) } else { Err(differs().into()) };
    }
    if let Some((last, _)) = last(root)?.filter(|(last, _)| *last > version) {
        return Err(
            format!("{version} is older than {last}, which is released: set another version in Cargo.toml").into()
        );
    }
    check_in(root, &document)?;
    fs::create_dir_all(root.join(FOLDER))?;
    fs::write(&path, text)?;
    Ok(format!("wrote {file}"))
}

/// The released document with the highest version.
fn last(root: &Path) -> Result<Option<(Version, Value)>, Box<dyn Error>> {
    let folder = root.join(FOLDER);
    if !folder.exists() {
        return Ok(None);
    }
    let mut released = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let version = Version::parse(&name)
                .map_err(|error| format!("{FOLDER}/{name}.json is not named after a version: {error}"))?;
            released.insert(version, path);
        }
    }
    let Some((version, path)) = released.pop_last() else { return Ok(None) };
    Ok(Some((version, serde_json::from_slice(&fs::read(path)?)?)))
}

/// Whether the changelog names the break, or the change of the schema that causes it, as a list item under Unreleased.
fn is_named(changelog: &str, found: &Break) -> bool {
    let heading = |line: &str| line.starts_with("## ");
    let unreleased = |line: &str| matches!(line.trim_end(), "## Unreleased" | "## [Unreleased]");
    let section = changelog.lines().skip_while(|line| !unreleased(line)).skip(1).take_while(|line| !heading(line));
    let mut items = section.filter_map(|line| line.trim_start().strip_prefix("- `"));
    items.any(|item| {
        let mut names = [Some(&found.line), found.shared.as_ref()].into_iter().flatten();
        names.any(|name| item.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('`')))
    })
}

/// What to add to the changelog: the change of a schema once instead of every operation that it breaks.
fn lines<'a>(found: &'a [Break]) -> BTreeSet<&'a str> {
    let mut by_cause: BTreeMap<&str, usize> = BTreeMap::new();
    for shared in found.iter().filter_map(|found| found.shared.as_deref()) {
        *by_cause.entry(shared).or_default() += 1;
    }
    let suggested = |found: &'a Break| match found {
        Break { shared: Some(shared), .. } if by_cause[shared.as_str()] > 1 => shared.as_str(),
        Break { line, .. } => line.as_str(),
    };
    found.iter().map(suggested).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const HEAD: &str = "# Changelog\n\n## Unreleased\n\n";

    /// A workspace with these released documents and this changelog.
    fn workspace(released: &[(&str, &Value)], changelog: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join(CHANGELOG), changelog).expect("a file");
        for (version, document) in released {
            fs::create_dir_all(root.path().join(FOLDER)).expect("a folder");
            let file = root.path().join(FOLDER).join(format!("{version}.json"));
            fs::write(file, document.to_string()).expect("a file");
        }
        root
    }

    fn checked(root: &tempfile::TempDir, document: &Value) -> Result<String, String> {
        check_in(root.path(), document).map_err(|error| error.to_string())
    }

    fn released(root: &tempfile::TempDir, document: &Value) -> Result<String, String> {
        release_in(root.path(), &document.to_string()).map_err(|error| error.to_string())
    }

    fn document(version: &str, paths: &[&str]) -> Value {
        let paths: serde_json::Map<_, _> =
            paths.iter().map(|path| ((*path).to_owned(), json!({ "get": { "responses": {} } }))).collect();
        json!({ "info": { "version": version }, "paths": paths })
    }

    #[test]
    fn nothing_is_compared_before_the_first_release() {
        let none = Ok("no document has been released yet".to_owned());
        let root = workspace(&[], HEAD);
        assert_eq!(checked(&root, &document("0.1.0", &[])), none);

        fs::create_dir_all(root.path().join(FOLDER)).expect("a folder");
        fs::write(root.path().join(FOLDER).join("README.md"), "What is here").expect("a file");
        assert_eq!(checked(&root, &document("0.1.0", &[])), none, "an empty folder");
    }

    #[test]
    fn the_highest_version_counts() {
        let (a, b) = (document("0.9.0", &["/a"]), document("0.10.0", &["/b"]));
        let root = workspace(&[("0.9.0", &a), ("0.10.0", &b), ("0.10.0-rc.1", &a)], HEAD);
        assert_eq!(checked(&root, &b), Ok("no breaking difference from 0.10.0".to_owned()));
        let error = checked(&root, &a).expect_err("/b is gone");
        assert!(
            error.contains("differences from 0.10.0") && error.contains("- `GET /b: operation removed`\n"),
            "{error}"
        );
        assert!(!error.contains("/a"), "{error}");
    }

    #[test]
    fn a_file_that_no_version_names_is_refused() {
        let root = workspace(&[("latest", &document("1.0.0", &[]))], HEAD);
        let error = checked(&root, &document("1.0.0", &[])).expect_err("a bad name");
        assert!(error.starts_with("openapi/released/latest.json is not named after a version"), "{error}");
    }

    #[test]
    fn the_changelog_accepts_exactly_what_it_names_under_unreleased() {
        let (old, new) = (document("1.0.0", &["/a", "/a/b"]), document("1.1.0", &["/a/b"]));
        let item = "- `GET /a: operation removed`";
        let accepted = Ok("breaking differences from 1.0.0: 1, all named in CHANGELOG.md".to_owned());
        for changelog in [
            format!("{HEAD}### Document\n\n- Other things.\n{item}: use `/a/b`.\n\n## 1.0.0\n"),
            format!("# Changelog\n\n## [Unreleased]\n\n  {item}\n"),
        ] {
            assert_eq!(checked(&workspace(&[("1.0.0", &old)], &changelog), &new), accepted, "{changelog}");
        }
        for changelog in [
            HEAD.to_owned(),
            item.to_owned(),
            format!("{HEAD}## 1.0.0\n\n{item}\n"),
            format!("{HEAD}GET /a: operation removed\n"),
            format!("{HEAD}- GET /a: operation removed\n"),
            format!("{HEAD}- `GET /a: operation removed too`\n"),
            format!("{HEAD}- `GET /a/b: operation removed`\n"),
        ] {
            assert!(checked(&workspace(&[("1.0.0", &old)], &changelog), &new).is_err(), "{changelog}");
        }
    }

    /// A document with operations that answer and take the same schema.
    fn with_schema(version: &str, schema: &Value) -> Value {
        let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Trip" } } });
        let get = json!({ "responses": { "200": { "content": content } } });
        json!({
            "info": { "version": version },
            "paths": { "/a": { "get": get }, "/b": { "get": get, "post": { "requestBody": { "content": content } } } },
            "components": { "schemas": { "Trip": schema } },
        })
    }

    #[test]
    fn a_change_of_a_schema_is_named_once_or_by_operation() {
        let old = with_schema("1.0.0", &json!({ "properties": { "title": {}, "days": {} } }));
        let new = with_schema("1.1.0", &json!({ "properties": { "days": {} } }));
        let error = checked(&workspace(&[("1.0.0", &old)], HEAD), &new).expect_err("the title is gone");
        let wanted = "- `POST /b: request field title removed`\n- `Trip in responses: field title removed`\n";
        assert!(error.ends_with(&format!("\n\n{wanted}")), "{error}");
        let root = workspace(&[("1.0.0", &old)], &format!("{HEAD}{wanted}"));
        assert_eq!(
            checked(&root, &new),
            Ok("breaking differences from 1.0.0: 3, all named in CHANGELOG.md".to_owned())
        );

        let one =
            format!("{HEAD}- `GET /a: 200 response field title removed`\n- `Trip in requests: field title removed`\n");
        let error = checked(&workspace(&[("1.0.0", &old)], &one), &new).expect_err("one operation is not named");
        assert!(error.ends_with("\n\n- `GET /b: 200 response field title removed`\n"), "{error}");
    }

    #[test]
    fn a_release_is_written_once() {
        let root = workspace(&[], HEAD);
        let first = document("0.1.0", &["/a"]);
        assert_eq!(released(&root, &first), Ok("wrote openapi/released/0.1.0.json".to_owned()));
        let written = fs::read_to_string(root.path().join("openapi/released/0.1.0.json")).expect("it is written");
        assert_eq!(written, first.to_string());
        assert_eq!(released(&root, &first), Ok("openapi/released/0.1.0.json is there already".to_owned()));

        let changed = document("0.1.0", &["/a", "/b"]);
        let differs = "openapi/released/0.1.0.json is released and differs: set another version in Cargo.toml";
        assert_eq!(released(&root, &changed), Err(differs.to_owned()));
        assert_eq!(fs::read_to_string(root.path().join("openapi/released/0.1.0.json")).expect("a file"), written);
    }

    #[test]
    fn a_release_neither_hides_a_break_nor_goes_back() {
        let root = workspace(&[("0.2.0", &document("0.2.0", &["/a"]))], HEAD);
        let error = released(&root, &document("0.3.0", &[])).expect_err("/a is gone");
        assert!(error.contains("- `GET /a: operation removed`"), "{error}");
        let error = released(&root, &document("0.1.9", &["/a"])).expect_err("it is older");
        assert_eq!(error, "0.1.9 is older than 0.2.0, which is released: set another version in Cargo.toml");
        assert_eq!(
            released(&root, &document("0.3.0", &["/a", "/b"])),
            Ok("wrote openapi/released/0.3.0.json".to_owned())
        );
        assert_eq!(fs::read_dir(root.path().join(FOLDER)).expect("a folder").count(), 2);
    }
}
