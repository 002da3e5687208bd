use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;
use itinerary_sdk::{ImportFile, ImportOptions};

/// A booking as mails have it, in JSON-LD.
const TABLE: &str = r#"{"@context": "http://schema.org", "@type": "FoodEstablishmentReservation", "reservationNumber": "T9",
    "partySize": 2, "startTime": "2027-05-16T19:30:00+01:00",
    "reservationFor": {"@type": "FoodEstablishment", "name": "Tasca do Rio"}}"#;

/// Imports a booking into the trip, shows what was found, and stores it. Importing it again changes nothing.
pub async fn imports(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let files = [ImportFile::new("table.json", TABLE)]; // or ImportFile::open("table.eml").await?
    let found = client.imports().read(files.clone(), ImportOptions::into_itinerary(trip)).await?;
    for item in &found.items {
        println!("{} {} from {}", item.state, item.field, item.file);
    }
    for ignored in &found.ignored {
        println!("{} is ignored: {}", ignored.file, ignored.message);
    }

    // The version that the files were compared with. What others have changed since is merged.
    let version = IfMatch::from(found.etag.as_deref().unwrap_or("*"));
    let patch = found.itinerary.into_update()?;
    let updated = client.itineraries().update(trip, version, patch).prefer("merge").send().await?;
    println!("{} reservations", updated.reservations().len());

    let again = client.imports().read(files, ImportOptions::into_itinerary(trip)).await?;
    println!("the same again: {}", again.items[0].state);
    assert_eq!(again.itinerary, ItineraryDraft::default());

    // Without an itinerary, the files are a draft of a new one, which needs a destination.
    let letter = [ImportFile::new("letter.txt", "See you in Lisbon!")];
    match client.imports().read(letter, ImportOptions::default()).await {
        Err(error) if error.is(code::VALIDATION_FAILED) => println!("The letter has no booking."),
        found => println!("The draft goes to {:?}.", found?.itinerary.destination),
    }
    Ok(())
}
