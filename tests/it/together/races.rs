//! Writers at once, each merging from the version that it has read.

use futures::future::join_all;
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{conflicts, merged, merging};

const WRITERS: usize = 8;
const EDITS: usize = 4;

// `slow::together` does it over two servers, 200 times each.
#[api_test(limits = false)]
async fn writers_on_different_days_lose_nothing_and_are_not_refused(world: World) {
    let ana = App::of(&world, "ana").await;
    let days: Vec<_> = (0..WRITERS).map(|day| json!({ "id": format!("d{day}") })).collect();
    let base = ana.created(&with(minimal(), json!({ "days": days }))).await;
    let write = async |day: usize| {
        let mut etag = base.etag.clone();
        for edit in 0..EDITS {
            let stop = json!({ "id": format!("s{day}-{edit}"), "name": format!("Stop {edit}") });
            let call = ana.call(Method::POST, &format!("{}/days/d{day}/stops", path(&base.id))).json(&stop);
            let response = merging(call, &etag).send().await;
            assert_eq!(response.status, 200, "{}", response.text());
            response.header("etag").clone_into(&mut etag);
        }
    };
    join_all((0..WRITERS).map(write)).await;
    let now = ana.viewed(&base.id).await;
    for (day, entry) in now.json["days"].as_array().expect("days").iter().enumerate() {
        let ids: Vec<_> = entry["stops"].as_array().expect("stops").iter().map(|stop| stop["id"].clone()).collect();
        assert_eq!(ids, (0..EDITS).map(|edit| json!(format!("s{day}-{edit}"))).collect::<Vec<_>>());
    }
    assert_eq!(now.etag, format!("\"v{}.m\"", 1 + WRITERS * EDITS));
}

#[api_test(limits = false)]
async fn one_of_the_writers_on_a_field_wins(world: World) {
    let ana = App::of(&world, "ana").await;
    let mut base = ana.created(&minimal()).await;
    for round in 0..3 {
        let title = |writer: usize| format!("Round {round} of {writer}");
        let write = async |writer: usize| merged(&ana, &base, &json!({ "title": title(writer) })).await;
        let responses = join_all((0..WRITERS).map(write)).await;
        let now = ana.viewed(&base.id).await;
        let winners = responses.iter().filter(|response| response.status == 200).count();
        assert_eq!(winners, 1);
        for (writer, response) in responses.iter().enumerate().filter(|(_, response)| response.status != 200) {
            let expected = json!([{
                "path": "title", "base": base.json["title"], "current": now.json["title"], "yours": title(writer),
            }]);
            assert_eq!(conflicts(response), expected);
        }
        base = now;
    }
}
