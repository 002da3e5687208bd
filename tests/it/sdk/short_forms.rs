//! What is shorter in the SDK than in the API: codes and names, dates as text, sections as slices, versions from a list.

use itinerary_sdk::prelude::*;
use itinerary_sdk::types::{
    BelongsToInput, CostInput, DayInput, ExpenseInput, ExpensePatch, FlightInput, HotelInput, ItineraryCreate,
    ItineraryPatch, Place, PlaceInput, StopInput,
};
use itinerary_tests::{World, api_test};

fn lisbon() -> ItineraryCreate {
    ItineraryCreate::to("Lisbon", (38.72, -9.14)).start_date("2027-05-15")
}

#[api_test]
async fn codes_names_and_text_are_enough_for_a_trip(world: World) {
    let client = world.client("ana").await;
    let flight = FlightInput::new("TP1363").between("LHR", "LIS").departing("2027-05-15T08:05:00+01:00");
    let day = DayInput::default().stops(["Belém Tower"]);
    let trip = lisbon().days([day]).flights([flight]).hotels(["Avenida Palace"]);
    let trip = client.itineraries().create(trip).send().await.expect("created");
    let flight = &trip.flights()[0];
    let code = |place: &Option<Place>| place.as_ref().and_then(|place| place.code.clone());
    let airports = [code(&flight.departure_airport), code(&flight.arrival_airport)];
    assert_eq!(airports, ["LHR", "LIS"].map(|code| Some(code.to_owned())));
    let departure = flight.departure_date.expect("a time").to_rfc3339();
    assert_eq!((&*departure, trip.start_date.to_string()), ("2027-05-15T08:05:00+01:00", "2027-05-15".to_owned()));
    assert_eq!((&*trip.hotels()[0].name, &*trip.days[0].stops[0].name), ("Avenida Palace", "Belém Tower"));
    assert!(trip.expenses().is_empty() && trip.expenses.is_none(), "only Pro sees expenses");
}

#[api_test]
async fn malformed_text_is_an_error_of_the_request(world: World) {
    let client = world.client("ana").await;
    let field = async |trip: ItineraryCreate| {
        let error = client.itineraries().create(trip).send().await.expect_err("invalid");
        assert_eq!(error.code(), code::VALIDATION_FAILED, "{error}");
        error.field().map(str::to_owned)
    };
    assert_eq!(field(lisbon().start_date("2027-02-30")).await.as_deref(), Some("startDate"));
    let flight = |flight: FlightInput| lisbon().flights([flight]);
    let late = FlightInput::new("TP1363").departing("2027-05-15 08:05");
    assert_eq!(field(flight(late)).await.as_deref(), Some("flights[0].departureDate"));
    let nowhere = FlightInput::new("TP1363").between("London", "LIS");
    assert_eq!(field(flight(nowhere)).await.as_deref(), Some("flights[0].departureAirport.code"));
    let unplaced = HotelInput::new("Here").place(PlaceInput::at((91.0, 0.0)));
    let field_of_place = field(lisbon().hotels([unplaced])).await;
    assert_eq!(field_of_place.as_deref(), Some("hotels[0].place.coordinate.latitude"));
    let unnamed = DayInput::default().stops([StopInput::from("")]);
    assert_eq!(field(lisbon().days([unnamed])).await.as_deref(), Some("days[0].stops[0].name"));
}

#[api_test]
async fn the_version_of_a_list_or_of_an_entry_is_that_of_its_itinerary(world: World) {
    world.pro_account("ana").await;
    let client = world.client("ana").await;
    let trip = client.itineraries().create(lisbon()).send().await.expect("created");
    let expenses = client.expenses().list(trip.id).send().await.expect("a list");
    let dinner = ExpenseInput::new("Dinner", CostInput::from((48.5, "EUR"))).id("dinner");
    let now = client.expenses().add(trip.id, &expenses, dinner).send().await.expect("added");
    assert_eq!(now.expenses()[0].cost.amount.to_string(), "48.5");

    let lost = client.expenses().remove(trip.id, "dinner", &expenses).send().await.expect_err("an old version");
    assert_eq!((lost.code(), lost.current_etag()), (code::ITINERARY_MODIFIED, Some(now.etag())));
    let entries = client.expenses().list(trip.id).send().await.expect("a list").into_data();
    assert_eq!(entries.into_iter().map(|entry| entry.id).collect::<Vec<_>>(), ["dinner"]);

    let page = client.itineraries().list().send().await.expect("a page");
    let entry = &page.data[0];
    assert_eq!(client.itineraries().view_if_changed(entry.id, entry).await.expect("a read"), None);
    let title = ItineraryPatch::default().title("A week");
    let renamed = client.itineraries().update(entry.id, entry, title).send().await.expect("renamed");
    let newer = client.itineraries().view_if_changed(entry.id, entry).await.expect("a read").expect("another version");
    assert_eq!((&*newer.title, newer.etag()), ("A week", renamed.etag()));
}

#[api_test]
async fn needs_attention_is_a_slice_and_empty_after_a_read(world: World) {
    let client = world.client("ana").await;
    let day = DayInput::default().stops(["Qwxz Zzyqx"]);
    let trip = client.itineraries().create(lisbon().days([day])).send().await.expect("created");
    let fields: Vec<_> = trip.needs_attention().iter().map(|entry| entry.field.as_str()).collect();
    assert_eq!(fields, ["origin", "days[0].stops[0].place.coordinate"]);
    let read = client.itineraries().view(trip.id).send().await.expect("read");
    assert!(read.needs_attention().is_empty());
}

#[api_test]
async fn an_itinerary_that_was_read_becomes_a_new_one(world: World) {
    world.pro_account("ana").await;
    let client = world.client("ana").await;
    let day = DayInput::default().id("day-1").stops([StopInput::new("Belém Tower").id("tower")]);
    let dinner = ExpenseInput::new("Dinner", (48.5, "EUR")).belongs_to(BelongsToInput::stop("tower"));
    let trip = lisbon().days([day]).expenses([ExpenseInput::new("Insurance", 20), dinner]);
    let trip = client.itineraries().create(trip).send().await.expect("created");
    let whole = ExpensePatch::default().belongs_to(
        serde_json::from_value::<itinerary_sdk::types::BelongsToPatch>(
            serde_json::json!({ "kind": "itinerary", "id": trip.id }),
        )
        .expect("a patch"),
    );
    let trip = client.expenses().update(trip.id, &trip.expenses()[0].id, &trip, whole).send().await.expect("changed");

    let copy = ItineraryCreate::from(trip.clone().into_inner()).start_date("2028-05-15");
    let copy = client.itineraries().create(copy).send().await.expect("created");
    assert_ne!(copy.id, trip.id);
    assert_eq!((&*copy.days[0].stops[0].id, copy.start_date.to_string()), ("tower", "2028-05-15".to_owned()));
    let owners: Vec<_> = copy.expenses().iter().map(|it| it.belongs_to.as_ref().map(|owner| &*owner.id)).collect();
    assert_eq!(owners, [None, Some("tower")]);
}

#[api_test]
async fn a_rerun_with_the_same_key_is_told_apart_from_a_change(world: World) {
    let client = world.client("ana").await;
    let trip = client.itineraries().create(lisbon()).send().await.expect("created");
    assert!(!trip.replayed());
    let key = Uuid::from_u128(7);
    let rename = async |version: IfMatch, key: Uuid| {
        let patch = ItineraryPatch::default().title("A week");
        client.itineraries().update(trip.id, version, patch).idempotency_key(key).send().await
    };
    let first = rename(IfMatch::from(&trip), key).await.expect("renamed");
    let other = ItineraryPatch::default().title("Another title");
    let now = client.itineraries().update(trip.id, &first, other).send().await.expect("renamed");
    let again = rename(IfMatch::from(&now), key).await.expect("a replay");
    assert_eq!((first.replayed(), again.replayed(), again.etag()), (false, true, first.etag()));

    // A rejected request does not use up its key, and If-Match is no part of the request that the key covers.
    let key = Uuid::from_u128(8);
    let lost = rename(IfMatch::from(&trip), key).await.expect_err("an old version");
    assert_eq!(lost.code(), code::ITINERARY_MODIFIED);
    let renamed = rename(IfMatch::from(&now), key).await.expect("renamed");
    assert!(!renamed.replayed() && renamed.etag() != now.etag());
    // A change that changes nothing makes no new version.
    let same = rename(IfMatch::from(&renamed), Uuid::from_u128(9)).await.expect("nothing to change");
    assert!(!same.replayed() && same.etag() == renamed.etag());
}
