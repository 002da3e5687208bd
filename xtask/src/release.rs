//! Releases a version in two steps: `prepare` makes the commit, and `tag` tags it after continuous integration has passed.
//!
//! Neither pushes or publishes anything; each prints the commands that come next.

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use clap::Subcommand;
use dropshot::semver::Version;

use crate::generated::root;
use crate::openapi;

mod changelog;

const MANIFEST: &str = "Cargo.toml";

/// A command that makes generated files. It is a process of its own, because the version is compiled into it.
enum Step {
    /// A command of this program, which is built again before.
    Xtask(&'static str),
    /// Tests that record what they would otherwise compare.
    Test(&'static [&'static str]),
}

/// What makes all generated files after the version has changed, in order. The second records the examples, from which the
/// document is made again.
const GENERATE: [Step; 7] = [
    Step::Xtask("openapi"),
    Step::Test(&["--test", "it", "--", "http::examples"]),
    Step::Xtask("openapi"),
    Step::Xtask("sdk"),
    Step::Xtask("public-api"),
    Step::Xtask("release-document"),
    Step::Test(&["--test", "store", "--", "--ignored", "released::write"]),
];

/// What `cargo test` is told for this program's tests, with which it builds the program. `cargo run` would compile most
/// libraries again, with the features that this package alone needs.
const BUILD: [&str; 3] = ["--no-run", "--test", "dependencies"];

type Done<T = ()> = Result<T, Box<dyn Error>>;

#[derive(Subcommand)]
pub(crate) enum Release {
    /// Set the version, generate everything that contains it, close the changelog's section, and commit
    Prepare {
        /// The version, such as 1.2.0
        version: Version,
    },
    /// Tag the release that the last commit prepared. Run .ci/run before
    Tag,
}

pub(crate) fn run(command: &Release) -> Done {
    match command {
        Release::Prepare { version } => prepare(&root(), version),
        Release::Tag => {
            let tag = tag(&root())?;
            println!("Tagged {tag}. Next: step 4 of docs/releasing.md");
            Ok(())
        }
    }
}

fn prepare(root: &Path, version: &Version) -> Done {
    let (manifest, changelog) = texts(root, version)?;
    write(root, version, &manifest, &changelog)
        .map_err(|error| format!("{error}\nDiscard what was written: git reset --hard && git clean -df"))?;
    println!("Committed {:?}. Next: read the commit, run .ci/run, then cargo xtask release tag", subject(version));
    Ok(())
}

/// Writes everything that has the version, and commits.
fn write(root: &Path, version: &Version, manifest: &str, changelog: &str) -> Done {
    // The changelog keeps its heading until the end: `release-document` reads what it says is unreleased.
    fs::write(root.join(MANIFEST), manifest)?;
    run_in(root, cargo().args(["update", "--quiet", "--workspace", "--offline"]))?;
    for step in &GENERATE {
        generate(root, version, step)?;
    }
    fs::write(root.join(changelog::FILE), changelog)?;
    git(root, &["add", "--all"])?;
    git(root, &["commit", "--quiet", "--message", &subject(version)])?;
    Ok(())
}

/// Checks that the version can be released, and returns the new manifest and changelog. Writes nothing.
fn texts(root: &Path, version: &Version) -> Done<(String, String)> {
    if !git(root, &["status", "--porcelain"])?.is_empty() {
        return Err("there are uncommitted changes: commit or stash them first".into());
    }
    if !git(root, &["tag", "--list", &tag_of(version)])?.is_empty() {
        return Err(format!("the tag {} exists already", tag_of(version)).into());
    }
    let manifest = fs::read_to_string(root.join(MANIFEST))?;
    let current = version_of(&manifest)?;
    if *version < current {
        return Err(format!("{version} is older than {current}, the version in {MANIFEST}").into());
    }
    if root.join(openapi::released::file(version)).exists() {
        return Err(format!("{version} is released already: {} exists", openapi::released::file(version)).into());
    }
    let changelog = fs::read_to_string(root.join(changelog::FILE))?;
    Ok((with_version(&manifest, &current, version), changelog::close(&changelog, version, &today())?))
}

/// Tags the last commit, if it is the release of the version in the manifest. Returns the tag.
fn tag(root: &Path) -> Done<String> {
    if !git(root, &["status", "--porcelain"])?.is_empty() {
        return Err("there are uncommitted changes: the tag would not contain them".into());
    }
    let version = version_of(&fs::read_to_string(root.join(MANIFEST))?)?;
    let last = git(root, &["log", "--max-count=1", "--format=%s"])?;
    if last != subject(&version) {
        return Err(format!("the last commit is {last:?} and not {:?}", subject(&version)).into());
    }
    let (tag, message) = (tag_of(&version), format!("{version}"));
    git(root, &["tag", "--annotate", &tag, "--message", &message])?;
    Ok(tag)
}

fn subject(version: &Version) -> String {
    format!("Release {version}")
}

fn tag_of(version: &Version) -> String {
    format!("v{version}")
}

/// The line of the workspace's version.
fn line(version: &Version) -> String {
    format!("\nversion = \"{version}\"\n")
}

fn version_of(manifest: &str) -> Done<Version> {
    let package = manifest.split("[workspace.package]").nth(1).ok_or("Cargo.toml has no [workspace.package]")?;
    let value = package.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    Ok(Version::parse(value.ok_or("[workspace.package] has no version")?)?)
}

fn with_version(manifest: &str, old: &Version, new: &Version) -> String {
    manifest.replacen(&line(old), &line(new), 1)
}

#[expect(clippy::disallowed_methods, reason = "a release has the date of the day on which it is made")]
fn today() -> String {
    chrono::Utc::now().format("%Y-%m-%d").to_string()
}

fn generate(root: &Path, version: &Version, step: &Step) -> Done {
    let test = |arguments: &[&str]| {
        let mut command = cargo();
        // The tests that record examples and schemas write them instead of comparing.
        command.env("INSTA_UPDATE", "always").env("ITINERARY_RELEASE", version.to_string());
        // A release without the schema of PostgreSQL could not be tested later.
        command.env("ITINERARY_TEST_POSTGRES", "1").env("ITINERARY_REQUIRE_POSTGRES", "1");
        command.args(["test", "--quiet", "--workspace"]).args(arguments);
        run_in(root, &mut command)
    };
    match step {
        Step::Test(arguments) => test(arguments),
        Step::Xtask(name) => {
            test(&BUILD)?;
            let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
            run_in(root, Command::new(root.join(target).join("debug").join("xtask")).arg(name))
        }
    }
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn run_in(root: &Path, command: &mut Command) -> Done {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words: Vec<_> = [program].into_iter().chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    let words = words.join(" ");
    println!("{words}");
    let status = command.current_dir(root).status()?;
    if status.success() { Ok(()) } else { Err(format!("{words} failed: {status}").into()) }
}

/// Runs git in the folder and returns its output, trimmed.
fn git(root: &Path, arguments: &[&str]) -> Done<String> {
    let mut command = Command::new("git");
    // A hook that runs this names its own repository there.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    let output = command.args(arguments).current_dir(root).output()?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?.trim().to_owned());
    }
    Err(format!("git {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const CARGO: &str = "[workspace]\n\n[workspace.package]\nversion = \"1.0.0\"\n\n[workspace.dependencies]\nx = { version = \"1.0.0\" }\n";
    const CHANGES: &str = "# Changelog\n\n## Unreleased\n\n- A change.\n";

    /// A repository with one commit. `None` without git, which the other tests do not need.
    fn workspace() -> Option<TempDir> {
        if Command::new("git").arg("--version").output().is_err() {
            println!("skipped: git is not installed");
            return None;
        }
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join(MANIFEST), CARGO).expect("a file");
        fs::write(root.path().join(changelog::FILE), CHANGES).expect("a file");
        for arguments in [
            &["init", "--quiet"][..],
            &["config", "user.name", "Ada"],
            &["config", "user.email", "ada@example.org"],
            &["config", "commit.gpgsign", "false"],
            &["config", "tag.gpgsign", "false"],
        ] {
            git(root.path(), arguments).expect("git works");
        }
        commit(&root, "First");
        Some(root)
    }

    fn commit(root: &TempDir, subject: &str) {
        git(root.path(), &["add", "--all"]).expect("git works");
        git(root.path(), &["commit", "--quiet", "--allow-empty", "--message", subject]).expect("git works");
    }

    fn version(text: &str) -> Version {
        Version::parse(text).expect("a version")
    }

    fn refused(root: &TempDir, text: &str) -> String {
        texts(root.path(), &version(text)).expect_err("it is refused").to_string()
    }

    #[test]
    fn only_the_workspaces_version_changes() {
        let Some(root) = workspace() else { return };
        let (manifest, changelog) = texts(root.path(), &version("1.1.0")).expect("it can be released");
        assert_eq!(manifest, CARGO.replacen("1.0.0", "1.1.0", 1));
        assert!(changelog.contains("## 1.1.0 - 20"), "{changelog}");
        assert_eq!(fs::read_to_string(root.path().join(MANIFEST)).expect("a file"), CARGO, "nothing is written yet");
    }

    #[test]
    fn old_existing_or_uncommitted_releases_are_rejected() {
        let Some(root) = workspace() else { return };
        assert_eq!(refused(&root, "0.9.0"), "0.9.0 is older than 1.0.0, the version in Cargo.toml");
        git(root.path(), &["tag", "v1.1.0"]).expect("git works");
        assert_eq!(refused(&root, "1.1.0"), "the tag v1.1.0 exists already");
        let released = root.path().join(openapi::released::file(&version("1.2.0")));
        fs::create_dir_all(released.parent().expect("it is in a folder")).expect("a folder");
        fs::write(&released, "{}").expect("a file");
        assert_eq!(refused(&root, "1.3.0"), "there are uncommitted changes: commit or stash them first");
        commit(&root, "Released");
        assert_eq!(refused(&root, "1.2.0"), "1.2.0 is released already: openapi/released/1.2.0.json exists");
    }

    #[test]
    fn only_the_commit_of_a_release_is_tagged() {
        let Some(root) = workspace() else { return };
        let refused = tag(root.path()).expect_err("it is no release").to_string();
        assert_eq!(refused, "the last commit is \"First\" and not \"Release 1.0.0\"");
        commit(&root, "Release 1.0.0");
        assert_eq!(tag(root.path()).expect("it is tagged"), "v1.0.0");
        assert_eq!(git(root.path(), &["describe"]).expect("git works"), "v1.0.0");
        assert!(tag(root.path()).is_err(), "a tag is never moved");
        fs::write(root.path().join("file"), "new").expect("a file");
        let refused = tag(root.path()).expect_err("uncommitted").to_string();
        assert_eq!(refused, "there are uncommitted changes: the tag would not contain them");
    }
}
