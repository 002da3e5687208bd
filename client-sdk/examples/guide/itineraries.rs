use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Creates a week in Lisbon, renames it and lists the traveller's trips. Returns its id.
pub async fn itineraries(client: &Client) -> Result<Uuid, ApiError> {
    let first = DayInput::default().id("day-1").stops(["Belém Tower", "Jerónimos Monastery", "Time Out Market"]);
    let flight = FlightInput::new("TP1363").between("LHR", "LIS").departing("2027-05-15T08:05:00+01:00");
    let hotel = HotelInput::new("Avenida Palace").check_in_date("2027-05-15T15:00:00+01:00");
    let trip = ItineraryCreate::to("Lisbon", (38.72, -9.14))
        .start_date("2027-05-15")
        .days([first, DayInput::default()])
        .flights([flight])
        .hotels([hotel]);

    // Without storing it: what the service would fill in.
    let expected = client.itineraries().create(trip.clone()).send_dry_run().await?;
    println!("{} will have {} days.", expected.title, expected.days.len());

    let trip = client.itineraries().create(trip).allow_duplicate(true).send().await?;
    for entry in trip.needs_attention() {
        println!("{}: {}", entry.field, entry.message);
    }

    // A write names the version that it is based on, and returns the next one.
    let rename = ItineraryPatch::default().title("A week in Lisbon").summary("With Sintra and the sea.");
    let trip = client.itineraries().update(trip.id, &trip, rename).send().await?;
    // If others write too: reads the current version, and again if it has changed in between.
    let trip = client.itineraries().update_with(trip.id, |_| ItineraryPatch::default().travellers(2)).await?;

    // Nothing is transferred if nothing has changed.
    let newer = client.itineraries().view_if_changed(trip.id, &trip).await?;
    println!("{} is at version {}; newer: {}.", trip.title, trip.etag(), newer.is_some());

    let mut mine = client.itineraries().list().filter(ListFilter::Owned).stream();
    while let Some(entry) = mine.try_next().await? {
        println!("{}  {}, {} stops", entry.start_date, entry.title, entry.stops_count);
    }
    Ok(trip.id)
}
