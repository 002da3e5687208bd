//! Treats any bytes as a request that changes an itinerary, processes it as the server does, and checks the outcome.
//! `main.rs` searches for bytes with a wrong outcome; `tests/` runs the known ones.
//!
//! Leaves out what needs a database or a caller: versions, idempotency keys, roles and plans.

mod input;
mod oracle;
mod start;

use chrono::DateTime;
use itinerary_api::read::FieldError;
use itinerary_api::types::{Attention, ItineraryCreate, ItineraryShift};
use itinerary_api::values::{CountryCode, Currency, TimeZone};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::edit::{Edit, Refusal};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::fill::{self, CreateFacts, Draft, PlaceFacts};
use itinerary_core::{ids, shift, validate};
use uuid::Uuid;

pub use input::{OPERATIONS, operation};

use input::{Input, Request};
use start::{ITINERARY, Sequence, Start};

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A field is invalid.
    Invalid(FieldError),
    /// The target does not exist.
    NotFound,
    /// The itinerary would exceed the limit; holds its size in bytes.
    TooLarge(usize),
}

impl From<FieldError> for Refused {
    fn from(error: FieldError) -> Self {
        Self::Invalid(error)
    }
}

/// Decodes and runs the request (see the README). Panics if the outcome violates an invariant.
pub fn run(bytes: &[u8]) -> Result<(), Refused> {
    let input = Input::new(bytes);
    let outcome = input.request().map_err(Refused::from).and_then(|request| match request {
        Request::Create(body) => create(*body),
        Request::Edit(edit) => change(&input, *edit),
        Request::Shift(request) => shift(input.start(), &request),
    });
    if let Err(refused) = &outcome {
        oracle::refused(refused);
    }
    outcome
}

/// Mirrors `app::itineraries::create` in the server. North of the equator the country is Portugal, south of it unknown.
fn create(body: ItineraryCreate) -> Result<(), Refused> {
    let destination = if body.destination.coordinate.latitude.get() > 0.0 {
        PlaceFacts { country: CountryCode::new("PT").ok(), time_zone: TimeZone::new("Europe/Lisbon").ok() }
    } else {
        PlaceFacts::default()
    };
    let facts = CreateFacts {
        now: DateTime::UNIX_EPOCH,
        destination,
        currency_of: |country| Currency::new("EUR").ok().filter(|_| &**country == "PT"),
        time_zone_at: |_| None,
        origin: None,
    };
    let Draft { mut content, mut attention, dates } = fill::create(body, &facts)?;
    attention.extend(dates.fill(&mut content, &facts)?);
    let random = Sequence::default();
    let id = ids::uuid(facts.now, &random);
    fill::adopt(&mut content, id).expect("values");
    let fragments = finish(&mut content, id, &EditScope::everything())?;
    attention.extend(fill::not_placed(&content));
    oracle::stored(&content, &fragments);
    oracle::answered(&content, &fragments, &attention, id);
    Ok(())
}

/// Mirrors `app::itineraries::change` in the server.
fn change(input: &Input, edit: Edit) -> Result<(), Refused> {
    let Start { content, response } = input.start();
    let named = oracle::named(&edit, input.body);
    let outcome = made(content.clone(), edit.clone());
    let parsed = made(oracle::parsed(content), edit);
    assert_eq!(fragments(&outcome), fragments(&parsed), "what is parsed is changed in another way");
    let (content, fragments) = outcome?;
    oracle::stored(&content, &fragments);
    let changed = oracle::answered(&content, &fragments, &fill::not_placed(&content), ITINERARY);
    oracle::only_changed(response, &changed, &named);
    Ok(())
}

/// Mirrors `app::itineraries::shift` in the server, and moves the itinerary back.
fn shift(Start { content, .. }: &Start, request: &ItineraryShift) -> Result<(), Refused> {
    let days = match (request.start_date, request.days) {
        (Some(date), None) => (date.day() - content.everyone.start_date.day()).num_days(),
        (None, Some(days)) => days.get(),
        _ => return Err(FieldError::new("startDate", "or `days` is required").into()),
    };
    let mut moved = content.clone();
    let attention = moved_by(&mut moved, days)?;
    let fragments = finish(&mut moved, ITINERARY, &EditScope::Nothing)?;
    oracle::stored(&moved, &fragments);
    oracle::answered(&moved, &fragments, &attention, ITINERARY);
    moved_by(&mut moved, -days).expect("the dates were in range before");
    assert_eq!(moved, oracle::parsed(content), "moving it there and back changed it");
    Ok(())
}

fn moved_by(content: &mut Content, days: i64) -> Result<Vec<Attention>, Refused> {
    shift::shift(content, days, |_| None).map_err(|refusal| match refusal {
        shift::Refusal::Corrupt(error) => panic!("what is stored cannot be read: {error}"),
        shift::Refusal::Invalid(error) => Refused::Invalid(error),
    })
}

/// The content to be stored, or the reason for the refusal.
fn fragments(outcome: &Result<(Content, Fragments), Refused>) -> Result<&Fragments, &Refused> {
    outcome.as_ref().map(|(_, fragments)| fragments)
}

fn made(mut content: Content, edit: Edit) -> Result<(Content, Fragments), Refused> {
    if !edit.finds(&content) {
        return Err(Refused::NotFound);
    }
    let sent = edit.apply(&mut content).map_err(|refusal| match refusal {
        Refusal::NotFound => panic!("what was found must be there to be changed"),
        Refusal::Corrupt(error) => panic!("what is stored cannot be read: {error}"),
        Refusal::Invalid(error) => Refused::Invalid(error),
    })?;
    let fragments = finish(&mut content, ITINERARY, &sent)?;
    Ok((content, fragments))
}

/// Mirrors `app::itineraries::finish` in the server.
fn finish(content: &mut Content, id: Uuid, scope: &EditScope) -> Result<Fragments, Refused> {
    fill::complete(content, &Sequence::default()).expect("what is stored can be read");
    validate::content(content, id, scope)?;
    let before = content.clone();
    let fragments = content.serialize().expect("entries are plain data");
    assert_eq!(before, *content, "what is stored is something else");
    validate::size(&fragments).map_err(Refused::TooLarge)?;
    Ok(fragments)
}
