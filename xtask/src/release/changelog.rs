//! Closes the section of unreleased changes in CHANGELOG.md.

use std::error::Error;

use dropshot::semver::Version;

pub(super) const FILE: &str = "CHANGELOG.md";
const UNRELEASED: &str = "\n## Unreleased\n";

/// Gives the section of unreleased changes the version and the date as its heading, and adds an empty one before it.
pub(super) fn close(changelog: &str, version: &Version, date: &str) -> Result<String, Box<dyn Error>> {
    let (before, after) = changelog.split_once(UNRELEASED).ok_or("CHANGELOG.md has no section Unreleased")?;
    let section = after.split("\n## ").next().unwrap_or_default();
    if !section.lines().any(|line| line.starts_with("- ")) {
        return Err("CHANGELOG.md names no unreleased change".into());
    }
    Ok(format!("{before}{UNRELEASED}\n## {version} - {date}\n{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(changelog: &str) -> Result<String, String> {
        close(changelog, &Version::new(1, 1, 0), "2026-12-24").map_err(|error| error.to_string())
    }

    #[test]
    fn the_section_gets_the_version_and_an_empty_one_follows_the_introduction() {
        let changelog =
            "# Changelog\n\nText.\n\n## Unreleased\n\n### Server\n\n- New.\n\n## 1.0.0 - 2026-11-24\n\n- Old.\n";
        let expected = "# Changelog\n\nText.\n\n## Unreleased\n\n## 1.1.0 - 2026-12-24\n\n### Server\n\n- New.\n\n\
            ## 1.0.0 - 2026-11-24\n\n- Old.\n";
        assert_eq!(closed(changelog), Ok(expected.to_owned()));
        assert_eq!(closed(expected), Err("CHANGELOG.md names no unreleased change".to_owned()), "twice");
    }

    #[test]
    fn a_changelog_without_the_section_is_refused() {
        assert_eq!(closed("# Changelog\n"), Err("CHANGELOG.md has no section Unreleased".to_owned()));
    }
}
