//! Who may do what with one itinerary: every operation under `/v1/itineraries/{id}`, by the caller's role and plan, the
//! token's scope and `If-Match`, as requests to a real server.
//!
//! The rows come from the policy table and the samples, so a new operation extends the matrix by itself. The outcomes
//! are compared with `snapshots/roles.snap`, whose changes are to be read. `invariants` has the rules that hold
//! whatever the snapshot says. `matrix` tests invalid tokens; other areas test what operations do.
//!
//! To renew the file: `INSTA_UPDATE=always cargo test -p itinerary-tests --test it http::roles`, and read the difference.

mod cells;
mod invariants;
mod stage;
mod table;

use itinerary_tests::{World, api_test};

/// V-04, H-02, H-12: one text for both databases.
#[api_test(limits = false)]
async fn responses_by_role_match_the_snapshot(world: World) {
    let cells = cells::record(&world).await;
    invariants::check(&cells);
    table::check(&cells);
}
