//! Wallet passes of flights and hotels. `itinerary-wallet` decides what a pass contains.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::{DateTime, FixedOffset};
use itinerary_api::request_state::Caller;
use itinerary_api::types::{
    CabinClass, Flight, Hotel, ItemList, Place, WalletLink, WalletPass, WalletPassFormat, WalletPassKind,
};
use itinerary_api::values::{AirportCode, ItemId, OffsetTime};
use itinerary_core::access::Act;
use itinerary_core::content::{Everyone, Members, Part};
use itinerary_core::entry::{Entry, ListItem};
use itinerary_core::{daytime, ids, stored};
use itinerary_platform::context::Service;
use itinerary_store::VisibleSections;
use itinerary_wallet::{Airport, Failure, Item, Pass};
use uuid::Uuid;

use super::{ReadConditions, read};
use crate::{Error, Outcome, Rendered, Result, to_json};

/// A finished pass.
pub enum MadePass {
    /// A file for Apple Wallet.
    File(Bytes),
    /// JSON with a link for Google Wallet.
    Link(Bytes),
}

/// The length of a serial, in bytes.
const SERIAL: usize = 15;

const NEEDS_AIRPORTS: &str =
    "A flight's pass needs the codes of both airports and departureDate. Add them to the flight.";
const NO_APPLE: &str = "This server cannot sign Apple Wallet passes. Its operator can configure a certificate: \
    wallet.apple_pass_type, wallet.apple_team, wallet.apple_certificate, wallet.apple_key and \
    wallet.apple_intermediate.";
const NO_GOOGLE: &str = "This server cannot sign Google Wallet passes. Its operator can configure an issuer: \
    wallet.google_issuer and wallet.google_service_account.";

/// Lists the items that passes can be made for. Not conditional, because the formats depend on the server's
/// configuration, which the itinerary's ETag does not cover.
pub async fn list(service: &Service, caller: &Caller, id: Uuid) -> Result<Rendered<ItemList<WalletPass>>> {
    let act = Act::List(Part::Flights);
    let (loaded, fragments) =
        read(service, caller, id, act, VisibleSections::Members, ReadConditions::default()).await?;
    let fragments = fragments.ok_or(Error::NotFound)?;
    let Members { flights, hotels, .. } = stored::parse(&fragments.members)?;
    let wallets = &service.ports.wallets;
    let apple = wallets.apple.as_ref().filter(|apple| apple.check(service.clock.now()).is_ok());
    let apple = apple.map(|_| WalletPassFormat::Apple);
    let google = wallets.google.is_some().then_some(WalletPassFormat::Google);
    let formats: Vec<_> = apple.into_iter().chain(google).collect();
    let mut data = Vec::new();
    for flight in &flights {
        let flight = flight.value()?;
        data.extend(flight.id.clone().filter(|_| ends(&flight).is_some()).map(|id| (WalletPassKind::Flight, id)));
    }
    for hotel in &hotels {
        data.extend(hotel.value()?.id.clone().map(|id| (WalletPassKind::Hotel, id)));
    }
    let pass = |(kind, item_id)| WalletPass { kind, item_id, formats: formats.clone() };
    let list = ItemList { data: data.into_iter().map(pass).collect() };
    Ok(Rendered::tagged(Outcome::Done, loaded.etag(), vec![to_json(&list).into()]))
}

/// Makes the caller's pass for a flight or hotel.
pub async fn view(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    (kind, item): (WalletPassKind, &ItemId),
    format: WalletPassFormat,
) -> Result<MadePass> {
    let part = match kind {
        WalletPassKind::Flight => Part::Flights,
        WalletPassKind::Hotel => Part::Hotels,
    };
    let shown = VisibleSections::All { pro: false, documents: false };
    let (_, fragments) = read(service, caller, id, Act::List(part), shown, ReadConditions::default()).await?;
    let fragments = fragments.ok_or(Error::NotFound)?;
    let everyone: Everyone = stored::parse(&fragments.everyone)?;
    let members: Members = stored::parse(&fragments.members)?;
    let account = service.store.account(caller.account).await?.ok_or(Error::NotFound)?;
    let pass = Pass {
        serial: serial(caller.account, id, part, item),
        title: everyone.title.to_string(),
        item: match kind {
            WalletPassKind::Flight => Item::Flight(flight(&*find(&members.flights, item)?, account.display_name)?),
            WalletPassKind::Hotel => Item::Hotel(hotel(&*find(&members.hotels, item)?, account.display_name)),
        },
    };
    make(service, &pass, format)
}

/// The serial of a traveller's pass for an item. Stable, so that Apple Wallet replaces its earlier pass.
fn serial(account: Uuid, itinerary: Uuid, part: Part, item: &ItemId) -> String {
    let hash = ids::hash(&format!("{account} {itinerary} {} {item}", part.name()));
    URL_SAFE_NO_PAD.encode(&hash[..SERIAL])
}

fn find<'e, T: ListItem>(list: &'e [Entry<T>], id: &ItemId) -> Result<Cow<'e, T>> {
    let entry = list.iter().find(|entry| entry.index().id.as_deref() == Some(&**id)).ok_or(Error::NotFound)?;
    Ok(entry.value()?)
}

fn make(service: &Service, pass: &Pass, format: WalletPassFormat) -> Result<MadePass> {
    let (wallets, now) = (&service.ports.wallets, service.clock.now());
    let made = match format {
        WalletPassFormat::Apple => {
            let apple = wallets.apple.as_ref().ok_or(Error::NotConfigured(NO_APPLE))?;
            apple.check(now).and_then(|()| apple.pass(pass)).map(|file| MadePass::File(file.into()))
        }
        WalletPassFormat::Google => {
            let google = wallets.google.as_ref().ok_or(Error::NotConfigured(NO_GOOGLE))?;
            let link = google.link(pass, now);
            link.map(|url| MadePass::Link(serde_json::to_vec(&WalletLink { url }).expect("plain data").into()))
        }
    };
    made.map_err(|failure| match failure {
        Failure::Invalid(reason) => Error::Conflict(reason),
        failure @ Failure::Expired { .. } => {
            tracing::error!(%failure, "no Apple Wallet pass can be signed");
            Error::NotConfigured("The certificate for Apple Wallet passes is not valid at this time. The server's operator can renew it.")
        }
        failure => Error::Corrupt(format!("a wallet pass: {failure}")),
    })
}

/// The data that a flight's pass requires: both airports with their codes, and the local departure time.
struct FlightEnds<'f> {
    departure: (&'f Place, &'f AirportCode),
    arrival: (&'f Place, &'f AirportCode),
    departs: DateTime<FixedOffset>,
}

fn ends(flight: &Flight) -> Option<FlightEnds<'_>> {
    let departure = with_code(flight.departure_airport.as_ref()?)?;
    let arrival = with_code(flight.arrival_airport.as_ref()?)?;
    let departs = local(flight.departure_date.as_ref()?, Some(departure.0));
    Some(FlightEnds { departure, arrival, departs })
}

fn with_code(place: &Place) -> Option<(&Place, &AirportCode)> {
    Some((place, place.code.as_ref()?))
}

/// A time in the time zone of a place.
fn local(time: &OffsetTime, place: Option<&Place>) -> DateTime<FixedOffset> {
    daytime::at_place(time.instant(), place.and_then(|place| place.time_zone.as_ref()))
}

fn text<T: ToString>(value: Option<&T>) -> Option<String> {
    value.map(ToString::to_string)
}

fn flight(flight: &Flight, passenger: String) -> Result<itinerary_wallet::Flight> {
    let FlightEnds { departure, arrival, departs } = ends(flight).ok_or(Error::Conflict(NEEDS_AIRPORTS))?;
    let airport = |(place, code): (&Place, &AirportCode), terminal, gate| Airport {
        code: code.to_string(),
        name: text(place.name.as_ref()),
        terminal: text(terminal),
        gate: text(gate),
    };
    let airline = flight.flight_airline.as_ref();
    let cabin = flight.cabin_class.map(|cabin| match cabin {
        CabinClass::Economy => "Economy",
        CabinClass::PremiumEconomy => "Premium Economy",
        CabinClass::Business => "Business",
        CabinClass::First => "First",
    });
    Ok(itinerary_wallet::Flight {
        airline_code: text(airline.and_then(|airline| airline.code.as_ref())),
        airline_name: text(airline.and_then(|airline| airline.name.as_ref())),
        number: text(flight.flight_number.as_ref()),
        departure: airport(departure, flight.departure_terminal.as_ref(), flight.gate_number.as_ref()),
        arrival: airport(arrival, flight.arrival_terminal.as_ref(), None),
        departs,
        arrives: flight.arrival_date.as_ref().map(|time| local(time, Some(arrival.0))),
        cabin: cabin.map(str::to_owned),
        seat: text(flight.seat_number.as_ref()),
        passenger,
    })
}

fn hotel(hotel: &Hotel, guest: String) -> itinerary_wallet::Hotel {
    let place = hotel.place.as_ref();
    let coordinate = place.and_then(|place| place.coordinate);
    itinerary_wallet::Hotel {
        name: hotel.name.to_string(),
        address: text(place.and_then(|place| place.address.as_ref())),
        coordinate: coordinate.map(|at| (at.latitude.get(), at.longitude.get())),
        check_in: hotel.check_in_date.as_ref().map(|time| local(time, place)),
        check_out: hotel.check_out_date.as_ref().map(|time| local(time, place)),
        room: text(hotel.room_number.as_ref()),
        phone: text(hotel.phone_number.as_ref()),
        guest,
    }
}
