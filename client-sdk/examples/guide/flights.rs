use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Adds the flight home, changes its seat and its gate, and prints the flights.
pub async fn flights(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    // An airport's code is enough: the service fills in its name and coordinate.
    let home = FlightInput::new("TP1366")
        .id("home")
        .between("LIS", "LHR")
        .departing("2027-05-22T18:10:00+01:00")
        .arriving("2027-05-22T20:55:00+01:00")
        .cabin_class(CabinClass::Economy)
        .seat_number("14C");
    let flights = client.flights().list(trip).send().await?;
    let now = client.flights().add(trip, &flights, home).send().await?;

    let gate = FlightPatch::default().gate_number("B12").clear_seat_number();
    let now = client.flights().update(trip, "home", &now, gate).send().await?;
    for flight in now.flights() {
        let airport = |place: &Option<Place>| place.as_ref().and_then(|place| place.code.clone()).unwrap_or_default();
        let (from, to) = (airport(&flight.departure_airport), airport(&flight.arrival_airport));
        println!("{} from {from} to {to}", flight.flight_number.as_deref().unwrap_or("a flight"));
    }

    // A time that is none is an error of the request.
    let wrong = FlightPatch::default().departure_date("tomorrow");
    match client.flights().update(trip, "home", &now, wrong).send().await {
        Err(error) if error.is(code::VALIDATION_FAILED) => println!("invalid: {:?}", error.field()),
        other => drop(other?),
    }
    client.flights().remove(trip, "home", &now).send().await?;
    Ok(())
}
