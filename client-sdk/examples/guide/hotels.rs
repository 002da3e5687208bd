use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Adds a hotel by its name, gives it an address and a room, and prints the hotels.
pub async fn hotels(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let hotels = client.hotels().list(trip).send().await?;
    let sintra = HotelInput::new("Lawrence's Hotel")
        .id("sintra")
        .place(PlaceInput::at((38.7944, -9.3916)))
        .check_in_date("2027-05-18T15:00:00+01:00")
        .check_out_date("2027-05-20T11:00:00+01:00");
    let now = client.hotels().add(trip, &hotels, sintra).send().await?;

    let patch =
        HotelPatch::default().room_number("12").place(PlacePatch::default().address("Rua Consiglieri Pedroso 38"));
    let now = client.hotels().update(trip, "sintra", &now, patch).send().await?;
    for hotel in now.hotels() {
        let address = hotel.place.as_ref().and_then(|place| place.address.as_deref());
        println!("{}, {}", hotel.name, address.unwrap_or("without an address"));
    }

    client.hotels().remove(trip, "sintra", &now).send().await?;
    Ok(())
}
