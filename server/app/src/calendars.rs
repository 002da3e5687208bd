//! The calendar of an account at a secret address, for calendar programs, which cannot send a token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use itinerary_api::values::limits;
use itinerary_core::access::Sections;
use itinerary_core::content::Fragments;
use itinerary_core::ids;
use itinerary_export::ics;
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_store::{CalendarEntry, CalendarOwner, ContentSelection, Hash, Pause, StoreError, VisibleSections};
use serde::Deserialize;
use uuid::Uuid;

use super::itineraries::{Loaded, loaded_by};
use super::{Error, Result};

/// The path of all calendars.
const PATH: &str = "/calendar/";
const EXTENSION: &str = ".ics";
/// A trip stays in the calendar for so many days after its last day.
pub const KEPT_DAYS: i64 = 60;
/// The most days that an itinerary has.
#[expect(clippy::cast_possible_wrap, reason = "a few hundred")]
const LONGEST_TRIP: i64 = limits::DAYS as i64;
/// The most trips in a calendar: first the account's own, then those that start last.
pub const TRIPS: u32 = 200;
/// The most events in a calendar.
pub const EVENTS: usize = 5_000;
/// No trip is added to a calendar of this many bytes, nor when so many bytes of itineraries have been read.
const BYTES: usize = 2 * 1024 * 1024;
/// How often calendar programs should read it.
const REFRESH_HOURS: u32 = 6;
const NAME: &str = "Itineraries";

/// Makes the address of an account's calendar, which ends an earlier one. Only the caller gets to know it: its hash is
/// stored. `None` if the account was deleted or suspended, or the session has ended.
pub async fn make(service: &Service, account: Uuid, session: &Hash) -> Result<Option<String>, StoreError> {
    let secret = ids::secret("", &*service.random);
    let is_set = service.store.calendar_set(account, &ids::hash(&secret), session, service.clock.now()).await?;
    Ok(is_set.then(|| format!("{}{PATH}{secret}{EXTENSION}", service.config.base_url)))
}

/// An itinerary with its stored content.
type StoredTrip = (Loaded, Fragments<Bytes>);

/// The calendar at an address, and its tag.
pub struct FoundCalendar {
    pub account: Uuid,
    entries: Vec<CalendarEntry>,
    pub etag: String,
}

/// Finds the calendar at an address, without its content. `NotFound` for every address that none has; `Paused` while
/// integrations are paused, because a calendar program is one.
pub async fn find(service: &Service, file: &str) -> Result<FoundCalendar> {
    let secret = file.strip_suffix(EXTENSION).ok_or(Error::NotFound)?;
    let CalendarOwner { account, paused } =
        service.store.calendar_owner(&ids::hash(secret)).await?.ok_or(Error::NotFound)?;
    if let Some(Pause(seconds)) = paused {
        return Err(Error::Paused(seconds));
    }
    let now = service.clock.now();
    // The last day of a trip is not stored in a column.
    let from = day_before(now, KEPT_DAYS + LONGEST_TRIP);
    let mut entries = service.store.calendar_entries(account, &from, TRIPS).await?;
    let first = day_before(now, KEPT_DAYS);
    entries.retain(|entry| last_day(entry).is_none_or(|last| last >= first));
    let versions: Vec<_> = entries.iter().map(|entry| format!("{} {}", entry.id, entry.version)).collect();
    // Another build may write other events, and their links begin with the server's address.
    let (build, base_url) = (env!("CARGO_PKG_VERSION"), &service.config.base_url);
    let hash = ids::hash(&format!("{build} {base_url} {account} {}", versions.join(" ")));
    Ok(FoundCalendar { account, entries, etag: format!("\"{}\"", URL_SAFE_NO_PAD.encode(hash)) })
}

impl FoundCalendar {
    /// The calendar as a file. Contains what the account sees with the scope `itineraries:read`; reading it does not count as
    /// a read of the itineraries.
    pub async fn file(&self, service: &Service) -> Result<Bytes> {
        let kept = || service.calendars.find(self.account, &self.etag, service.clock.now());
        if let Some(file) = kept() {
            return Ok(file);
        }
        let _turn = service.calendars.turn(self.account).await?;
        // Another request may have written it while this one waited.
        if let Some(file) = kept() {
            return Ok(file);
        }
        let trips = self.read(service).await?;
        let base_url = service.config.base_url.clone();
        let write = move || write(trips, &base_url);
        let file = Bytes::from(service.long_work.run(Requester::Account(self.account), write).await??);
        service.calendars.keep(self.account, &self.etag, &file, service.clock.now());
        Ok(file)
    }

    /// The itineraries, until enough of them have been read.
    async fn read(&self, service: &Service) -> Result<Vec<StoredTrip>> {
        let mut trips = Vec::new();
        let mut bytes = 0;
        for entry in &self.entries {
            if bytes >= BYTES {
                break;
            }
            let selection = ContentSelection::Sections {
                visible: VisibleSections::All { pro: false, documents: false },
                known: None,
            };
            let read = service.store.itinerary(entry.id, self.account, selection).await?;
            match loaded_by(service, self.account, |standing| Sections::of(standing, false, false), read) {
                Ok((loaded, fragments)) => {
                    bytes += fragments.everyone.len() + fragments.members.len();
                    trips.push((loaded, fragments));
                }
                // It was deleted meanwhile, or is no longer shared.
                Err(Error::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(trips)
    }
}

fn write(trips: Vec<StoredTrip>, base_url: &str) -> Result<Vec<u8>> {
    let mut calendar = ics::Calendar::new(NAME, EVENTS);
    calendar.refresh_hours(REFRESH_HOURS);
    for (loaded, fragments) in trips {
        if calendar.is_full() || calendar.len() >= BYTES {
            break;
        }
        let itinerary = loaded.parsed(fragments)?;
        calendar.add(&loaded.trip(base_url, &itinerary));
    }
    Ok(calendar.finish().into_bytes())
}

fn day_before(now: DateTime<Utc>, days: i64) -> String {
    (now - TimeDelta::days(days)).format("%Y-%m-%d").to_string()
}

/// The last day of a trip. `None` if its entry cannot be read.
fn last_day(entry: &CalendarEntry) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct DayCount {
        days_count: i64,
    }
    let fields: DayCount = serde_json::from_str(&entry.card).ok()?;
    let first: chrono::NaiveDate = entry.start_date.parse().ok()?;
    let last = first.checked_add_signed(TimeDelta::try_days((fields.days_count - 1).max(0))?)?;
    Some(last.format("%Y-%m-%d").to_string())
}
