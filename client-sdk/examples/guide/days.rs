use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Adds a day with stops, changes, moves and removes stops, and orders the day.
pub async fn days(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let days = client.days().list(trip).send().await?;
    let castle = StopInput::new("Castelo de São Jorge").id("castle").category(StopCategory::Landmark);
    let lunch = StopInput::new("Zé da Mouraria").id("lunch").start_time("12:30").duration_minutes(75);
    let alfama = DayInput::default().id("alfama").stops([castle, lunch]);
    let now = client.days().add(trip, &days, alfama).send().await?;

    // Each response is the whole itinerary with its new version, so the next write needs no read in between.
    let view = StopInput::new("Miradouro de Santa Luzia").id("view");
    let now = client.stops().add(trip, "alfama", &now, view).position(0).send().await?;
    let later = StopPatch::default().start_time("13:00").clear_duration_minutes();
    let now = client.stops().update(trip, "alfama", "lunch", &now, later).send().await?;
    let now = client.stops().stop_move(trip, "alfama", "view", &now, StopMove::default().position(2)).send().await?;

    let request = OptimiseRequest::default().start_at("09:00").end_at("19:00");
    let ordered = client.days().optimise(trip, "alfama", &now).body(request).send().await?;
    println!("{} minutes on the way before, {} after.", ordered.minutes_before, ordered.minutes_after);
    for day in &ordered.itinerary.days {
        for leg in &day.legs {
            println!("{} to {}: {:?} minutes, {}", leg.from, leg.to, leg.minutes, leg.mode);
        }
    }

    let now = client.stops().remove(trip, "alfama", "view", &ordered).send().await?;
    client.days().remove(trip, "alfama", &now).send().await?;
    Ok(())
}
