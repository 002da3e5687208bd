//! Who gets which answer and who finds what, by visibility: every operation under `/v1/itineraries/{id}`, and every
//! list that may contain an itinerary, for each visibility and each relation to it, as real requests.
//!
//! The rows come from the policy table and the samples, and the lists are checked against the published document, so a
//! new operation changes the matrix or fails. The outcomes are compared with `snapshots/visibility.snap`; `invariants`
//! has the rules that hold whatever the snapshot says. Everyone has Pro, all scopes and the current `If-Match`; `roles`
//! tests the rest.
//!
//! To renew the file: `INSTA_UPDATE=always cargo test -p itinerary-tests --test it http::visibility`, and read the
//! difference.

mod by_id;
mod finding;
mod invariants;
mod people;
mod table;

use itinerary_tests::{World, api_test};

/// One text for both databases.
#[api_test(limits = false)]
async fn visibility_matches_the_snapshot(world: World) {
    let people = people::People::come(&world).await;
    // First, while there are no other itineraries.
    let findings = finding::record(&world, &people).await;
    let cells = by_id::record(&world, &people).await;
    invariants::check(&cells, &findings);
    table::check(&cells, &findings);
}
