use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Publishes a trip. Somebody else finds it, likes it, follows its author and saves a copy.
pub async fn explore(author: &Client, reader: &Client, trip: Uuid) -> Result<(), ApiError> {
    author.itineraries().update_with(trip, |_| ItineraryPatch::default().visibility(Visibility::Public)).await?;

    let mut found = reader.explore().list().q("Lisbon").stream();
    while let Some(entry) = found.try_next().await? {
        println!("{} by {}, {} likes", entry.title, entry.author.display_name, entry.likes_count);
    }

    let marks = reader.marks().like_set(trip).send().await?;
    println!("liked: {}, {} likes", marks.liked, marks.likes_count);
    let read = reader.itineraries().view(trip).send().await?;
    reader.people().follow_set(read.author.account_id).send().await?;

    // A copy of one's own: private, without flights and hotels.
    let copy = reader.marks().itinerary_save(trip).send().await?;
    println!("saved {} from {:?}", copy.id, copy.saved_from.as_ref().map(|from| from.itinerary_id));

    reader.itineraries().delete(copy.id, &copy).send().await?;
    reader.people().follow_clear(read.author.account_id).send().await?;
    reader.marks().like_clear(trip).send().await?;
    Ok(())
}
