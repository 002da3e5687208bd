use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Adds a train by the names of its stations, gives it a platform and a ticket, and prints the transports.
pub async fn transports(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let transports = client.transports().list(trip).send().await?;
    let train = TransportInput::new(TransportMode::Train)
        .id("to-sintra")
        .number("IC 523")
        .between("Rossio", "Sintra")
        .departure_date("2027-05-18T10:11:00+01:00")
        .arrival_date("2027-05-18T10:51:00+01:00");
    let now = client.transports().add(trip, &transports, train).send().await?;

    let ticket = TicketInput::default().holder("Ana Reis").seat_number("47");
    let patch = TransportPatch::default().departure_platform("4").tickets([ticket]);
    let now = client.transports().update(trip, "to-sintra", &now, patch).send().await?;
    for transport in now.transports() {
        let place = transport.departure_place.as_ref().and_then(|place| place.name.as_deref());
        println!("{} from {}", transport.number.as_deref().unwrap_or("?"), place.unwrap_or("?"));
    }

    client.transports().remove(trip, "to-sintra", &now).send().await?;
    Ok(())
}
