//! Creating, reading, changing and deleting itineraries.

use chrono::{DateTime, Utc};
use itinerary_api::policy::{Scope, Section};
use itinerary_api::read::FieldError;
use itinerary_api::scope::{Caller, Claim};
use itinerary_api::types::{Attention, Author, CreateQuery, ItineraryCreate, ItineraryPatch, Place, Role, Visibility};
use itinerary_api::values::{Patch, Timestamp};
use itinerary_core::access::{Relation, Standing, View};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::fill::{self, Known};
use itinerary_core::render::{self, Head};
use itinerary_core::version::{self, Tags};
use itinerary_core::{ids, update, validate};
use itinerary_store::{CreateOutcome, DuplicateRule, ItineraryChange, ItineraryRow, NewItinerary, Plan, WriteOutcome};
use uuid::Uuid;

use super::{Answer, Error, Outcome, Result, replay, store_claim};
use crate::context::Service;
use crate::ports::places;

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
    serde_json::from_value(name.into()).map_err(|_| Error::Corrupt(format!("visibility {name}")))
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

/// Creates an itinerary.
pub async fn create(
    service: &Service,
    caller: &Caller,
    query: CreateQuery,
    claim: Option<Claim>,
    body: ItineraryCreate,
) -> Result<Answer> {
    if !caller.pro {
        refuse_section(&body.expenses, Section::Expenses)?;
        refuse_section(&body.packing, Section::Packing)?;
    }
    let dry_run = query.dry_run.unwrap_or(false);
    // A dry run stores nothing, so neither an answer.
    let claim = claim.filter(|_| !dry_run).map(|claim| store_claim(caller, claim));
    if let Some(answer) = replay(service, claim.as_ref()).await? {
        return Ok(answer);
    }
    let now = service.clock.now();
    let owner = service.store.account(caller.account).await?.ok_or(Error::NotFound)?;
    let known = Known {
        now,
        destination: places::facts(&body.destination.coordinate),
        currency_of: places::currency_of,
        origin: if body.origin.is_none() { usual_origin(service, &owner).await? } else { None },
    };
    let (content, mut attention) = fill::create(body, &known)?;
    let id = ids::uuid(now, &*service.random);
    let (content, fragments) = finish(service, content, id)?;
    attention.extend(fill::not_placed(&content));

    let seen = Seen {
        row: new_row(id, &owner, &content, now),
        standing: Standing::Owner,
        visibility: Visibility::Private,
        view: view(Standing::Owner, caller),
    };
    let rule = (!query.allow_duplicate.unwrap_or(false)).then(|| duplicate_rule(&seen.row));
    let mut answer = Answer {
        outcome: Outcome::Created,
        etag: Some(seen.etag()),
        location: Some(format!("/v1/itineraries/{id}")),
        body: render::itinerary(&seen.head(now), &fragments, seen.view, Some(&attention)),
        replayed: false,
    };
    if dry_run {
        if let Some(rule) = rule
            && let Some(duplicate) = service.store.itinerary_duplicate(&rule).await?
        {
            return Err(Error::Duplicate(duplicate));
        }
        // Nothing is there to be named or changed.
        (answer.outcome, answer.etag, answer.location) = (Outcome::Done, None, None);
        return Ok(answer);
    }
    let stored = claim.as_ref().map(|_| answer.stored());
    let claim = claim.as_ref().zip(stored.as_ref());
    let new = new_itinerary(seen.row, content.card(), fragments);
    match service.store.itinerary_create(&new, rule.as_ref(), claim, now).await? {
        CreateOutcome::Created => Ok(answer),
        CreateOutcome::Duplicate(id) => Err(Error::Duplicate(id)),
        CreateOutcome::Replayed(stored) => Ok(Answer::replay(stored)),
        CreateOutcome::KeyReused => Err(Error::KeyReused),
    }
}

fn refuse_section<T>(field: &Patch<T>, section: Section) -> Result<()> {
    if field.is_absent() { Ok(()) } else { Err(Error::SubscriptionRequired(section)) }
}

/// Where the traveller's journeys start: the home place, else the latest itinerary's origin.
async fn usual_origin(service: &Service, account: &itinerary_store::Account) -> Result<Option<Place>> {
    let place = match &account.home_place {
        Some(home) => Some(home.clone()),
        None => service.store.latest_origin(account.id).await?,
    };
    place.map(|json| serde_json::from_str(&json).map_err(|error| Error::Corrupt(error.to_string()))).transpose()
}

/// Completes a content, checks it whole, and serialises it once.
fn finish(service: &Service, mut content: Content, id: Uuid) -> Result<(Content, Fragments)> {
    fill::complete(&mut content, &*service.random);
    validate::content(&content, id)?;
    let fragments = content.fragments();
    validate::size(&fragments).map_err(Error::TooLarge)?;
    Ok((content, fragments))
}

/// The columns of a new itinerary, but for its content.
fn new_row(id: Uuid, owner: &itinerary_store::Account, content: &Content, now: DateTime<Utc>) -> ItineraryRow {
    let columns = Columns::of(content);
    ItineraryRow {
        id,
        owner_id: owner.id,
        version: 1,
        visibility: visibility_name(Visibility::Private).to_owned(),
        published_at: None,
        start_date: columns.start_date,
        destination_key: columns.destination_key,
        place_id: columns.place_id,
        latitude: columns.latitude,
        longitude: columns.longitude,
        origin: columns.origin,
        saved_from: None,
        created_at: now,
        updated_at: now,
        card: String::new(),
        everyone: String::new(),
        members: String::new(),
        pro: String::new(),
        documents: String::new(),
        username: owner.username.clone(),
        display_name: owner.display_name.clone(),
        image_url: owner.image_url.clone(),
        plan: owner.plan,
    }
}

fn new_itinerary(row: ItineraryRow, card: String, fragments: Fragments) -> NewItinerary {
    let Fragments { everyone, members, pro, documents } = fragments;
    NewItinerary {
        id: row.id,
        owner_id: row.owner_id,
        version: row.version,
        visibility: row.visibility,
        published_at: row.published_at,
        start_date: row.start_date,
        destination_key: row.destination_key,
        place_id: row.place_id,
        latitude: row.latitude,
        longitude: row.longitude,
        origin: row.origin,
        saved_from: row.saved_from,
        created_at: row.created_at,
        updated_at: row.updated_at,
        card,
        everyone,
        members,
        pro,
        documents,
    }
}

/// What lists, search and uniqueness need of a content.
struct Columns {
    start_date: String,
    destination_key: String,
    place_id: Option<String>,
    latitude: f64,
    longitude: f64,
    origin: Option<String>,
}

impl Columns {
    fn of(content: &Content) -> Self {
        let destination = &content.everyone.destination;
        let json = |place: &Place| serde_json::to_string(place).expect("a place is plain data");
        Self {
            start_date: content.everyone.start_date.to_string(),
            destination_key: fill::folded(&destination.name),
            place_id: destination.place_id.as_ref().map(ToString::to_string),
            latitude: destination.coordinate.latitude.get(),
            longitude: destination.coordinate.longitude.get(),
            origin: content.members.origin.as_ref().map(json),
        }
    }
}

fn duplicate_rule(row: &ItineraryRow) -> DuplicateRule {
    DuplicateRule {
        owner_id: row.owner_id,
        start_date: row.start_date.clone(),
        destination_key: row.destination_key.clone(),
        place_id: row.place_id.clone(),
        latitude: row.latitude,
        longitude: row.longitude,
    }
}

/// Merges a patch into an itinerary.
pub async fn change(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    if_match: Option<&Tags>,
    claim: Option<Claim>,
    patch: ItineraryPatch,
) -> Result<Answer> {
    let mut seen = see(service, caller, id).await?;
    if !seen.standing.may_write() {
        return Err(Error::Forbidden("Only the owner and editors may change it."));
    }
    let old = parse(&seen.take_fragments())?;
    if !caller.pro {
        refuse_changed_section(&patch.expenses, &old.pro.expenses, Section::Expenses)?;
        refuse_changed_section(&patch.packing, &old.pro.packing, Section::Packing)?;
    }
    let claim = claim.map(|claim| store_claim(caller, claim));
    if let Some(answer) = replay(service, claim.as_ref()).await? {
        return Ok(answer);
    }
    seen.check_if_match(if_match)?;
    let mut content = old;
    let visibility = update::merge(&mut content, patch)?;
    let now = service.clock.now();
    show(&mut seen, visibility, now)?;
    let (content, fragments) = finish(service, content, id)?;
    write(service, seen, &content, fragments, claim.as_ref(), now).await
}

fn parse(fragments: &Fragments) -> Result<Content> {
    Content::parse(fragments).map_err(|error| Error::Corrupt(error.to_string()))
}

/// Without Pro a section can be sent back as it is, and not be touched.
fn refuse_changed_section<T: PartialEq + Default>(sent: &Patch<T>, stored: &T, section: Section) -> Result<()> {
    match sent {
        Patch::Absent => Ok(()),
        Patch::Value(value) if value == stored && *stored != T::default() => Ok(()),
        Patch::Null | Patch::Value(_) => Err(Error::SubscriptionRequired(section)),
    }
}

/// Changes who may see it, which only the owner may. The first move into the light is remembered.
fn show(seen: &mut Seen, visibility: Option<Visibility>, now: DateTime<Utc>) -> Result<()> {
    let Some(visibility) = visibility.filter(|visibility| *visibility != seen.visibility) else { return Ok(()) };
    if seen.standing.role() != Role::Owner {
        return Err(Error::Forbidden("Only the owner may change who sees it."));
    }
    if matches!(visibility, Visibility::Followers | Visibility::Public) {
        seen.row.published_at.get_or_insert(now);
    }
    seen.visibility = visibility;
    Ok(())
}

/// Stores the new content of an itinerary, if its version is still the one that was read.
async fn write(
    service: &Service,
    mut seen: Seen,
    content: &Content,
    fragments: Fragments,
    claim: Option<&itinerary_store::Claim>,
    now: DateTime<Utc>,
) -> Result<Answer> {
    let expected_version = seen.row.version;
    seen.row.version += 1;
    let attention: Vec<Attention> = fill::not_placed(content);
    let answer = Answer {
        outcome: Outcome::Done,
        etag: Some(seen.etag()),
        location: None,
        body: render::itinerary(&seen.head(now), &fragments, seen.view, Some(&attention)),
        replayed: false,
    };
    let columns = Columns::of(content);
    let Fragments { everyone, members, pro, documents } = fragments;
    let change = ItineraryChange {
        id: seen.row.id,
        expected_version,
        visibility: visibility_name(seen.visibility).to_owned(),
        published_at: seen.row.published_at,
        start_date: columns.start_date,
        destination_key: columns.destination_key,
        place_id: columns.place_id,
        latitude: columns.latitude,
        longitude: columns.longitude,
        origin: columns.origin,
        updated_at: now,
        card: content.card(),
        everyone,
        members,
        pro,
        documents,
    };
    let stored = claim.map(|_| answer.stored());
    let outcome = service.store.itinerary_update(&change, claim.zip(stored.as_ref()), now).await?;
    settle(service, &seen, outcome).await?.map_or(Ok(answer), Ok)
}

/// Deletes an itinerary, for everyone and for good.
pub async fn delete(service: &Service, caller: &Caller, id: Uuid, if_match: Option<&Tags>) -> Result<()> {
    let seen = see(service, caller, id).await?;
    if seen.standing.role() != Role::Owner {
        return Err(Error::Forbidden("Only the owner may delete it."));
    }
    seen.check_if_match(if_match)?;
    let outcome = service.store.itinerary_delete(id, seen.row.version).await?;
    settle(service, &seen, outcome).await.map(|_| ())
}

/// What a write came to: nothing more to say, or an earlier answer, or a refusal.
async fn settle(service: &Service, seen: &Seen, outcome: WriteOutcome) -> Result<Option<Answer>> {
    match outcome {
        WriteOutcome::Written => Ok(None),
        WriteOutcome::Replayed(stored) => Ok(Some(Answer::replay(stored))),
        WriteOutcome::KeyReused => Err(Error::KeyReused),
        WriteOutcome::Gone => Err(Error::NotFound),
        WriteOutcome::Stale => {
            // Somebody else was first: the caller is told the version that is there now.
            let row = service.store.itinerary(seen.row.id).await?.ok_or(Error::NotFound)?;
            Err(Error::Modified { etag: version::etag(row.version, seen.view) })
        }
    }
}

/// Reads the tags of a header, by its name.
pub fn tags(name: &str, value: Option<&str>) -> Result<Option<Tags>, FieldError> {
    value.map(|value| Tags::parse(name, value)).transpose()
}
