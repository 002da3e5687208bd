use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Prints the account that the token acts for, and sets where its trips start.
pub async fn account(client: &Client) -> Result<(), ApiError> {
    let account = client.account().account_self().send().await?;
    println!("{} ({}), plan {}", account.display_name, account.username, account.plan);
    println!("The token may use {}.", account.scopes.join(", "));

    let home = PlacePatch::default().name("London").coordinate((51.5, -0.13));
    let account = client.account().account_self_update(AccountPatch::default().home_place(home)).send().await?;
    println!("Trips start from {:?}.", account.home_place.and_then(|place| place.name));

    match Client::builder(client.base_url()).access_token("expired").build() {
        Ok(stranger) => match stranger.account().account_self().send().await {
            Err(error) if error.needs_sign_in() => println!("sign in again: {}", error.code()),
            other => drop(other?),
        },
        Err(error) => println!("{}: {error}", error.code()),
    }
    Ok(())
}
