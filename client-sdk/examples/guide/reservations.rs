use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Reserves a table on a day whose time is still open, sets the time, and prints the reservations.
pub async fn reservations(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let reservations = client.reservations().list(trip).send().await?;
    let table = ReservationInput::new("Taberna do Largo")
        .id("dinner")
        .category(StopCategory::Restaurant)
        .place(PlaceInput::at((38.7125, -9.1434)))
        .start_day("2027-05-18")
        .party_size(2);
    let now = client.reservations().add(trip, &reservations, table).send().await?;

    let patch = ReservationPatch::default().start_date("2027-05-18T19:30:00+01:00").clear_start_day();
    let now = client.reservations().update(trip, "dinner", &now, patch).send().await?;
    for reservation in now.reservations() {
        println!("{} for {}", reservation.name, reservation.party_size.unwrap_or(1));
    }

    client.reservations().remove(trip, "dinner", &now).send().await?;
    Ok(())
}
