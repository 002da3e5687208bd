use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Adds things to pack, ticks one off and prints the list.
pub async fn packing(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let list = client.packing().list(trip).send().await?;
    let socks = PackingItemInput::new("Socks").id("socks").quantity(7).category(PackingCategory::Clothing);
    let now = match client.packing().add(trip, &list, socks).send().await {
        Err(error) if error.is(code::SUBSCRIPTION_REQUIRED) => {
            println!("The packing list needs the Pro subscription.");
            return Ok(());
        }
        added => added?,
    };
    client.packing().add(trip, &now, "Rain jacket").send().await?;

    // Reads the item and its version, and again if another program was faster.
    let packed = |socks: &PackingItem| PackingItemPatch::default().is_packed(true).quantity(socks.quantity + 1);
    let now = client.packing().update_with(trip, "socks", packed).await?;
    for item in now.packing() {
        println!("[{}] {} {}", if item.is_packed { "x" } else { " " }, item.quantity, item.name);
    }

    client.packing().remove(trip, "socks", &now).send().await?;
    Ok(())
}
