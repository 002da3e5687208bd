use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;

/// Invites a companion as an editor. Both change the trip, and neither change is lost.
pub async fn sharing(owner: &Client, companion: &Client, trip: Uuid) -> Result<(), ApiError> {
    // To find somebody by their username: owner.people().account_find("ben").
    let ben = companion.account().account_self().send().await?;
    let invited = owner.members().set(trip, ben.account_id, MemberRole::Editor).send().await?;
    println!("{} is {}", invited.display_name, invited.status);

    for invitation in companion.invitations().list().send().await?.data {
        println!("{} invites you to {}", invitation.from.display_name, invitation.title);
        companion.invitations().accept(invitation.itinerary_id).send().await?;
    }

    let seen = companion.itineraries().view(trip).send().await?;
    owner.itineraries().update_with(trip, |_| ItineraryPatch::default().summary("By train to Sintra.")).await?;
    let tags = ItineraryPatch::default().tags(["food", "sea"]);
    match companion.itineraries().update(trip, &seen, tags.clone()).send().await {
        Err(error) if error.is(code::ITINERARY_MODIFIED) => {
            println!("{} is out of date, the trip is at {:?}", seen.etag(), error.current_etag());
            let both = companion.itineraries().update_with(trip, |_| tags.clone()).await?;
            println!("{:?} and {:?}", both.summary, both.tags);
        }
        other => drop(other?),
    }

    owner.members().set(trip, ben.account_id, MemberRole::Viewer).send().await?;
    for member in owner.members().list(trip).send().await?.data {
        println!("{}: {}", member.display_name, member.role);
    }
    owner.members().remove(trip, ben.account_id).send().await?;

    // For people without an account.
    let link = LinkCreate::new("Grandparents").sections(LinkSections::Bookings);
    let link = owner.links().create(trip, link).send().await?;
    println!("{} sees the trip at {:?}", link.label, link.url);
    for link in owner.links().list(trip).send().await?.data {
        owner.links().delete(trip, link.id).send().await?;
    }
    Ok(())
}
