//! Creating, reading, changing and deleting itineraries, a file each; here what they share, and reading.

mod change;
mod create;

use chrono::{DateTime, Utc};
use itinerary_api::policy::Scope;
use itinerary_api::read::FieldError;
use itinerary_api::scope::Caller;
use itinerary_api::types::{Attention, Author, Place, Visibility};
use itinerary_api::values::Timestamp;
use itinerary_core::access::{Relation, Standing, View};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::render::{self, Head};
use itinerary_core::version::{self, Tags};
use itinerary_core::{fill, validate};
use itinerary_store::{ItineraryColumns, ItineraryRow, Plan};
use uuid::Uuid;

use super::{Answer, Error, Outcome, Result};
use crate::context::Service;

pub use change::{Precondition, change, delete};
pub use create::create;

/// An itinerary that the caller may see, without its content, and what the caller is to it.
struct Seen {
    id: Uuid,
    version: i64,
    author: Author,
    visibility: Visibility,
    published_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    standing: Standing,
    view: View,
}

/// Loads an itinerary and its content as it is stored; what the caller may not see is not there.
async fn see(service: &Service, caller: &Caller, id: Uuid) -> Result<(Seen, Fragments)> {
    let row = service.store.itinerary(id).await?.ok_or(Error::NotFound)?;
    let visibility = visibility_of(&row.visibility)?;
    let relation = Relation { account: caller.account, owner: row.owner_id, member: None, follows: false, visibility };
    let standing = Standing::of(&relation).ok_or(Error::NotFound)?;
    let ItineraryRow { everyone, members, pro, documents, .. } = row;
    let seen = Seen {
        id: row.id,
        version: row.version,
        author: Author {
            account_id: row.owner_id,
            username: row.username,
            display_name: row.display_name,
            image_url: row.image_url,
            is_pro: row.plan == Plan::Pro,
        },
        visibility,
        published_at: row.published_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
        standing,
        view: view(standing, caller),
    };
    Ok((seen, Fragments { everyone, members, pro, documents }))
}

fn view(standing: Standing, caller: &Caller) -> View {
    View::of(standing, caller.pro, caller.scopes.contains(Scope::DocumentsRead))
}

impl Seen {
    fn etag(&self) -> String {
        version::etag(self.version, self.view)
    }

    /// The answer that shows it with this content. `needs_attention` is for answers to writes.
    fn answer(&self, fragments: &Fragments, needs_attention: Option<&[Attention]>) -> Answer {
        let head = Head {
            id: self.id,
            visibility: self.visibility,
            role: self.standing.role(),
            author: self.author.clone(),
            saved_from: None,
            created_at: Timestamp(self.created_at),
            updated_at: Timestamp(self.updated_at),
            likes_count: 0,
            views_count: 0,
        };
        let body = render::itinerary(&head, fragments, self.view, needs_attention);
        Answer { outcome: Outcome::Done, etag: Some(self.etag()), location: None, body, replayed: false }
    }

    /// What a write stores of it.
    fn columns(&self, content: &Content, fragments: Fragments) -> ItineraryColumns {
        let destination = &content.everyone.destination;
        let json = |place: &Place| serde_json::to_string(place).expect("a place is plain data");
        let Fragments { everyone, members, pro, documents } = fragments;
        ItineraryColumns {
            visibility: visibility_name(self.visibility).to_owned(),
            published_at: self.published_at,
            start_date: content.everyone.start_date.to_string(),
            destination_key: fill::folded(&destination.name),
            place_id: destination.place_id.as_ref().map(ToString::to_string),
            latitude: destination.coordinate.latitude.get(),
            longitude: destination.coordinate.longitude.get(),
            origin: content.members.origin.as_ref().map(json),
            updated_at: self.updated_at,
            card: content.card(),
            everyone,
            members,
            pro,
            documents,
        }
    }

    /// May this be written, from the version that `if_match` names?
    fn check_if_match(&self, if_match: Option<&Tags>) -> Result<()> {
        match if_match {
            None => Err(Error::PreconditionRequired),
            Some(tags) if tags.allow_write(self.version) => Ok(()),
            Some(_) => Err(Error::Modified { etag: self.etag() }),
        }
    }
}

/// The visibility's name in the database is the one on the wire.
pub(super) fn visibility_of(name: &str) -> Result<Visibility> {
    [Visibility::Private, Visibility::Followers, Visibility::Unlisted, Visibility::Public]
        .into_iter()
        .find(|visibility| visibility_name(*visibility) == name)
        .ok_or_else(|| Error::Corrupt(format!("visibility {name}")))
}

fn visibility_name(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "private",
        Visibility::Followers => "followers",
        Visibility::Unlisted => "unlisted",
        Visibility::Public => "public",
    }
}

/// Reads an itinerary.
pub async fn view_one(service: &Service, caller: &Caller, id: Uuid, if_none_match: Option<&Tags>) -> Result<Answer> {
    let (seen, fragments) = see(service, caller, id).await?;
    let etag = seen.etag();
    if if_none_match.is_some_and(|tags| tags.includes(&etag)) {
        let outcome = Outcome::NotModified;
        return Ok(Answer { outcome, etag: Some(etag), location: None, body: Vec::new(), replayed: false });
    }
    Ok(seen.answer(&fragments, None))
}

/// Completes a content, checks it whole, and serialises it once.
fn finish(service: &Service, mut content: Content, id: Uuid) -> Result<(Content, Fragments)> {
    fill::complete(&mut content, &*service.random);
    validate::content(&content, id)?;
    let fragments = content.fragments();
    validate::size(&fragments).map_err(Error::TooLarge)?;
    Ok((content, fragments))
}

/// Reads the tags of a header, by its name.
pub fn tags(name: &str, value: Option<&str>) -> Result<Option<Tags>, FieldError> {
    value.map(|value| Tags::parse(name, value)).transpose()
}
