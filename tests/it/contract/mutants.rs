//! The contract tests find faults: each mutant of our server fails the row about what it broke, and says what.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use conformance::Options;
use conformance::report::{Outcome, Tested};
use itinerary_platform::settings::Config;
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{Sqlite, World};

use super::mutation::Mutation;
use super::proxy::Proxy;
use super::run;

/// A mutant, the row about what it broke, and words of that row's failure.
struct Expected(Mutation, &'static str, &'static str);

const EXPECTED: [Expected; 13] = [
    Expected(Mutation::DropsEtags, "itinerary.view.etag", "ETag"),
    Expected(Mutation::Answers200, "itinerary.create.minimal", "status 201"),
    Expected(Mutation::ForgetsField, "itinerary.view.whole", "/visibility"),
    Expected(Mutation::IgnoresIfMatch, "if-match.value.lost-update", "status 409"),
    Expected(Mutation::ReplaysNothing, "idempotency.create.once", " at /id"),
    Expected(Mutation::RepeatsPage, "list.page.walk", "once on the pages"),
    Expected(Mutation::Leaks403, "access.hidden.same-answer", "status 404"),
    Expected(Mutation::DropsRetryAfter, "limits.search.exceeded", "Retry-After"),
    Expected(Mutation::ShiftsTime, "itinerary.view.whole", "2027-09-01T07:05:00+01:00"),
    Expected(Mutation::SwapsCodes, "if-match.value.lost-update", "itineraryModified"),
    Expected(Mutation::AcceptsShapes, "itinerary.update.other-shape", "status 422"),
    Expected(Mutation::KeepsPictures, "cover.delete.itinerary", "status 404"),
    Expected(Mutation::AddsField, "document.fields.declared", "itinerary_list 200: data[].score"),
];

/// Mutants of registration: the run needs its clients, and goes on.
const REGISTRATION: [Expected; 2] = [
    Expected(Mutation::Registers200, "oauth.register.public", "status 201"),
    Expected(Mutation::GivesSecret, "oauth.register.public", "client_secret"),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_mutant_is_found_in_the_right_row() {
    let proxy = Proxy::start().await;
    let through_proxy = |config: &mut Config| config.base_url.clone_from(&proxy.base_url);
    let Some(world) = World::start_with(Sqlite, through_proxy).await else { return };
    proxy.forward_to(world.address());
    let options = Options {
        tokens: vec![world.token_of_anyone("ana", READ_WRITE).await],
        second_tokens: vec![world.token_of_anyone("ben", READ_WRITE).await],
        strict: true,
        only: EXPECTED.iter().map(|Expected(_, row, _)| (*row).to_owned()).collect(),
        ..Options::new(&proxy.base_url)
    };
    let unchanged = run(&options).await;
    assert!(unchanged.rows.len() == options.only.iter().collect::<BTreeSet<_>>().len(), "{unchanged}");
    assert!(unchanged.rows.iter().all(|row| matches!(row.outcome, Outcome::Passed)), "{unchanged}");
    assert_eq!(EXPECTED.iter().map(|Expected(mutation, ..)| *mutation).collect::<Vec<_>>(), Mutation::WITH_TOKENS);
    expect_found(&EXPECTED, &options, &world, &proxy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_registration_end_no_run() {
    let proxy = Proxy::start().await;
    let through_proxy = |config: &mut Config| {
        config.base_url.clone_from(&proxy.base_url);
        config.limits = false;
    };
    let Some(world) = World::start_with(Sqlite, through_proxy).await else { return };
    proxy.forward_to(world.address());
    let only = vec!["oauth.register.public".to_owned(), "oauth.consent".to_owned(), "itinerary.view.etag".to_owned()];
    let options = Options { only, limits: false, ..Options::new(&proxy.base_url) };
    expect_found(&REGISTRATION, &options, &world, &proxy).await;
}

/// Runs the rows against each mutant. Its row must fail with its words, and others must pass.
async fn expect_found(expected: &[Expected], options: &Options, world: &World, proxy: &Proxy) {
    let mut missed = Vec::new();
    for &Expected(mutation, row, words) in expected {
        proxy.mutate(Some(mutation));
        // The clock stands still, and each run counts against the rate limits.
        world.clock.advance(TimeDelta::minutes(1));
        let report = run(options).await;
        let failure = report.failed().find(|tested| tested.id == row).map(Tested::to_string);
        let is_found = failure.is_some_and(|failure| failure.contains(words));
        // A fault that fails every row is not found in the right one.
        if !is_found || report.passed() == 0 {
            missed.push(format!("{mutation:?}, in {row}:\n{report}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
