//! Packages of the workspace import only packages of lower layers, and modules of the server only modules of lower layers.
//! Decision 52 says why.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::packages;

/// The packages, lowest layer first.
const PACKAGES: [&[&str]; 9] = [
    &["itinerary-features", "itinerary-land", "itinerary-model", "itinerary-tests-macros"],
    &[
        "conformance",
        "itinerary-api",
        "itinerary-gazetteer",
        "itinerary-pictures",
        "itinerary-providers",
        "itinerary-reference",
        "itinerary-sdk",
        "itinerary-sealed",
        "itinerary-store",
        "itinerary-wallet",
    ],
    &["itinerary-cli", "itinerary-core", "itinerary-export", "itinerary-import", "test-support"],
    &["itinerary-fuzz", "itinerary-platform", "xtask"],
    &["itinerary-app"],
    &["itinerary-mcp", "itinerary-oauth"],
    &["itinerary-http"],
    &["itinerary-server"],
    &["itinerary-tests"],
];

/// The modules of `server/platform/src`, lowest layer first.
const PLATFORM: [&[&str]; 8] = [
    &[
        "account_limit",
        "change_streams",
        "error_chain",
        "fair_pool",
        "library_clock",
        "log",
        "mail_address",
        "memory_cache",
        "passwords",
        "reads",
        "system",
        "turns",
    ],
    &["content_cache", "settings", "cpu_time", "kept_calendars", "pictures", "response_budget"],
    &["addresses", "limits", "long_work", "tls"],
    &["metrics"],
    &["ports"],
    &["context"],
    &["gazetteer"],
    &["lib"],
];

/// The modules of `server/store/src`, lowest layer first.
const STORE: [&[&str]; 12] = [
    &["entity", "payer", "quotas", "values"],
    &["error"],
    &["address", "migration", "packed"],
    &["query"],
    &["engine"],
    &[
        "audit_log",
        "clients",
        "export",
        "jobs",
        "provider_answers",
        "settings",
        "sign_up_invitations",
        "summary",
        "totals",
    ],
    &[
        "accounts",
        "caller",
        "changes",
        "explore",
        "follows",
        "gazetteer",
        "grants",
        "idempotency",
        "library_time",
        "locks",
        "marks",
        "migrate",
    ],
    &[
        "backup",
        "blocks",
        "calendars",
        "members",
        "one_time_codes",
        "password_resets",
        "personal_tokens",
        "reports",
        "revisions",
        "sessions",
        "ways_in",
        "webhooks",
    ],
    &["account_facts", "documents", "identities", "invitations", "mails", "moderation", "passkeys", "pictures"],
    &["itineraries"],
    &["deletion", "links", "population", "seed"],
    &["schema", "lib"],
];

/// The modules of `server/src`, lowest layer first.
const SERVER: [&[&str]; 6] = [
    &["config", "demo", "gazetteer", "jobs", "server_key", "service_manager"],
    &["metrics_server"],
    &["serve"],
    &["backup", "check"],
    &["cli"],
    &["lib", "main"],
];

fn layer(layers: &[&[&str]], name: &str) -> usize {
    let found = layers.iter().position(|layer| layer.contains(&name));
    found.unwrap_or_else(|| panic!("{name} has no layer yet: add it here"))
}

#[test]
fn packages_import_only_lower_layers() {
    let packages = packages();
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let members: Vec<_> = packages.iter().map(name).collect();
    let mut upward = Vec::new();
    for package in &packages {
        let own = layer(&PACKAGES, &name(package));
        let all = package["dependencies"].as_array().expect("a list");
        let shipped = all.iter().filter(|dependency| dependency["kind"] != "dev").map(name);
        let of_workspace = shipped.filter(|dependency| members.contains(dependency));
        upward.extend(of_workspace.filter(|other| layer(&PACKAGES, other) >= own).map(|other| (name(package), other)));
    }
    assert!(upward.is_empty(), "packages that import the same or a higher layer: {upward:#?}");
}

#[test]
fn modules_import_only_lower_layers() {
    let crates: [(&str, &[&[&str]]); 3] =
        [("server/platform/src", &PLATFORM), ("server/store/src", &STORE), ("server/src", &SERVER)];
    let upward: Vec<_> = crates.iter().flat_map(|(folder, layers)| upward_edges(folder, layers)).collect();
    assert!(upward.is_empty(), "modules that import the same or a higher layer: {upward:#?}");
}

/// The pairs of a top-level module in the folder and a module of the same or a higher layer that it imports.
fn upward_edges(folder: &str, layers: &[&[&str]]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let exports = exports(&fs::read_to_string(root.join("lib.rs")).expect("text"));
    let mut upward = Vec::new();
    for entry in fs::read_dir(&root).expect("a folder") {
        let path = entry.expect("an entry").path();
        let module = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let own = layer(layers, &module);
        let imported = imports(&path, &exports).into_iter().filter(|other| *other != module);
        let wrong = imported.filter(|other| layer(layers, other) >= own);
        upward.extend(wrong.map(|other| (module.clone(), other)));
    }
    upward.sort();
    upward.dedup();
    upward
}

/// The top-level modules that the code of a file or folder imports, without its tests.
/// Names that the crate's root re-exports count as imports of their modules.
fn imports(path: &Path, exports: &HashMap<String, String>) -> Vec<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        return entries.flat_map(|path| imports(&path, exports)).collect();
    }
    if path.file_name().is_some_and(|name| name == "tests.rs") || path.extension().is_none_or(|kind| kind != "rs") {
        return Vec::new();
    }
    let text = fs::read_to_string(path).expect("text");
    let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String = shipped.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let starts = code.match_indices("crate::").map(|(at, name)| &code[at + name.len()..]);
    let names = starts.flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => {
            let group = group.split('}').next().unwrap_or_default();
            assert!(!group.contains('{'), "{}: a group in a group hides imports", path.display());
            group.split(',').map(str::trim).collect()
        }
        None => vec![rest],
    });
    let first = |path: &str| path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let names: Vec<String> = names.map(first).collect();
    let modules = names.into_iter().map(|name| exports.get(&name).cloned().unwrap_or(name));
    // Other names in upper case are macros and types of the crate's root itself.
    modules.filter(|name| name.starts_with(char::is_lowercase)).collect()
}

/// The names that a crate's root re-exports, with their modules.
fn exports(root: &str) -> HashMap<String, String> {
    let statements = root.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = statements.flat_map(|path| {
        let (module, rest) = path.split_once("::").unwrap_or((path, ""));
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let words = rest.split(|c| !is_name(c)).filter(|word| !word.is_empty());
        words.map(|word| (word.to_owned(), module.to_owned())).collect::<Vec<_>>()
    });
    names.collect()
}
