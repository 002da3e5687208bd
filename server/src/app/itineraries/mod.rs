//! Creating, reading, changing and deleting itineraries, a file each; here what they share, and reading.

mod change;
mod columns;
mod create;

use chrono::{DateTime, Utc};
use itinerary_api::policy::Scope;
use itinerary_api::read::FieldError;
use itinerary_api::scope::Caller;
use itinerary_api::types::{Author, Visibility};
use itinerary_api::values::Timestamp;
use itinerary_core::access::{Relation, Standing, View};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::render::{self, Head};
use itinerary_core::version::{self, Tags};
use itinerary_core::{fill, validate};
use itinerary_store::{ItineraryRow, Plan};
use uuid::Uuid;

use super::{Answer, Error, Outcome, Result};
use crate::context::Service;

pub use change::{Precondition, change, delete};
pub use create::create;

/// An itinerary that the caller may see, and what the caller is to it.
struct Seen {
    row: ItineraryRow,
    standing: Standing,
    visibility: Visibility,
    view: View,
}

/// Loads an itinerary; what the caller may not see is not there.
async fn see(service: &Service, caller: &Caller, id: Uuid) -> Result<Seen> {
    let row = service.store.itinerary(id).await?.ok_or(Error::NotFound)?;
    let visibility = visibility_of(&row.visibility)?;
    let relation = Relation { account: caller.account, owner: row.owner_id, member: None, follows: false, visibility };
    let standing = Standing::of(&relation).ok_or(Error::NotFound)?;
    Ok(Seen { standing, visibility, view: view(standing, caller), row })
}

fn view(standing: Standing, caller: &Caller) -> View {
    View::of(standing, caller.pro, caller.scopes.contains(Scope::DocumentsRead))
}

impl Seen {
    fn etag(&self) -> String {
        version::etag(self.row.version, self.view)
    }

    /// The content as it is stored; the row is left without it.
    fn take_fragments(&mut self) -> Fragments {
        use std::mem::take;
        let row = &mut self.row;
        Fragments {
            everyone: take(&mut row.everyone),
            members: take(&mut row.members),
            pro: take(&mut row.pro),
            documents: take(&mut row.documents),
        }
    }

    fn head(&self, updated_at: DateTime<Utc>) -> Head {
        let row = &self.row;
        Head {
            id: row.id,
            visibility: self.visibility,
            role: self.standing.role(),
            author: Author {
                account_id: row.owner_id,
                username: row.username.clone(),
                display_name: row.display_name.clone(),
                image_url: row.image_url.clone(),
                is_pro: row.plan == Plan::Pro,
            },
            saved_from: None,
            created_at: Timestamp(row.created_at),
            updated_at: Timestamp(updated_at),
            likes_count: 0,
            views_count: 0,
        }
    }

    /// May this be written, from the version that `if_match` names?
    fn check_if_match(&self, if_match: Option<&Tags>) -> Result<()> {
        match if_match {
            None => Err(Error::PreconditionRequired),
            Some(tags) if tags.allow_write(self.row.version) => Ok(()),
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
    let mut seen = see(service, caller, id).await?;
    let etag = seen.etag();
    if if_none_match.is_some_and(|tags| tags.includes(&etag)) {
        let outcome = Outcome::NotModified;
        return Ok(Answer { outcome, etag: Some(etag), location: None, body: Vec::new(), replayed: false });
    }
    let fragments = seen.take_fragments();
    let body = render::itinerary(&seen.head(seen.row.updated_at), &fragments, seen.view, None);
    Ok(Answer { outcome: Outcome::Done, etag: Some(etag), location: None, body, replayed: false })
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
