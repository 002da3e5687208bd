//! Wallet passes of bookings, one for each ticket. `itinerary-wallet` decides what a pass contains.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::{DateTime, FixedOffset};
use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{
    CabinClass, Flight, Hotel, ItemList, Place, Reservation, Ticket, TicketCodeFormat, TicketIndex, Transport,
    TransportMode, WalletLink, WalletPass, WalletPassFormat, WalletPassKind, WalletPassQuery,
};
use itinerary_api::values::{AirportCode, Date, ItemId, OffsetTime};
use itinerary_core::access::Act;
use itinerary_core::content::{Everyone, Members, Part};
use itinerary_core::entry::{Entry, ListItem};
use itinerary_core::{daytime, ids, stored};
use itinerary_platform::context::Service;
use itinerary_store::VisibleSections;
use itinerary_wallet::{Airport, Barcode, BarcodeContent, BarcodeFormat, Failure, Item, Pass, Station, When};
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
const NEEDS_PLACE: &str =
    "A transport's pass needs the name, address or code of departurePlace or arrivalPlace. Add it to the transport.";
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
    let Members { flights, hotels, transports, reservations, .. } = stored::parse(&fragments.members)?;
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
    for transport in &transports {
        let transport = transport.value()?;
        let id = transport.id.clone().filter(|_| has_place(&transport));
        data.extend(id.map(|id| (WalletPassKind::Transport, id)));
    }
    for reservation in &reservations {
        data.extend(reservation.value()?.id.clone().map(|id| (WalletPassKind::Reservation, id)));
    }
    let pass = |(kind, item_id)| WalletPass { kind, item_id, formats: formats.clone() };
    let list = ItemList { data: data.into_iter().map(pass).collect() };
    Ok(Rendered::tagged(Outcome::Done, loaded.etag(), vec![to_json(&list).into()]))
}

/// Makes the caller's pass for a booking or one of its tickets.
pub async fn view(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    (kind, item): (WalletPassKind, &ItemId),
    query: WalletPassQuery,
) -> Result<MadePass> {
    let part = match kind {
        WalletPassKind::Flight => Part::Flights,
        WalletPassKind::Hotel => Part::Hotels,
        WalletPassKind::Transport => Part::Transports,
        WalletPassKind::Reservation => Part::Reservations,
    };
    let shown = VisibleSections::All { pro: false, documents: false };
    let (_, fragments) = read(service, caller, id, Act::List(part), shown, ReadConditions::default()).await?;
    let fragments = fragments.ok_or(Error::NotFound)?;
    let everyone: Everyone = stored::parse(&fragments.everyone)?;
    let members: Members = stored::parse(&fragments.members)?;
    let booking = match kind {
        WalletPassKind::Flight => flight(&*find(&members.flights, item)?),
        WalletPassKind::Hotel => hotel(&*find(&members.hotels, item)?),
        WalletPassKind::Transport => transport(&*find(&members.transports, item)?),
        WalletPassKind::Reservation => reservation(&*find(&members.reservations, item)?),
    };
    let index = booking.index(query.ticket)?;
    let account = service.store.account(caller.account).await?.ok_or(Error::NotFound)?;
    let pass = Pass {
        serial: serial(caller.account, id, part, item, index),
        title: everyone.title.to_string(),
        ticket: booking.ticket(index, account.display_name),
        item: booking.item?,
    };
    make(service, &pass, query.format.unwrap_or_default())
}

/// The serial of a traveller's pass for a ticket. Stable, so that Apple Wallet replaces its earlier pass. The first
/// ticket has the serial that the booking has without tickets, so that the ticket's pass replaces the booking's.
fn serial(account: Uuid, itinerary: Uuid, part: Part, item: &ItemId, ticket: usize) -> String {
    let ticket = if ticket == 0 { String::new() } else { format!(" {ticket}") };
    let hash = ids::hash(&format!("{account} {itinerary} {} {item}{ticket}", part.name()));
    URL_SAFE_NO_PAD.encode(&hash[..SERIAL])
}

/// What the passes of a booking are made of.
struct Booking {
    /// An error if the booking lacks data that passes require.
    item: Result<Item>,
    tickets: Vec<Ticket>,
    confirmation: Option<String>,
    /// The seat of the booking as a whole.
    seat: Option<String>,
}

impl Booking {
    /// The index of a ticket; 0 for a booking without tickets.
    fn index(&self, asked: Option<TicketIndex>) -> Result<usize> {
        let Some(asked) = asked else { return Ok(0) };
        let index = usize::try_from(asked.get()).ok().filter(|index| *index < self.tickets.len());
        index.ok_or_else(|| {
            let expected = match self.tickets.len() {
                0 => "must be absent: the booking has no tickets".to_owned(),
                tickets => format!("must be at most {}, the index of the last ticket", tickets - 1),
            };
            FieldError::new("ticket", expected).into()
        })
    }

    /// The ticket as a pass shows it. The caller is the holder of an only ticket without a name.
    fn ticket(&self, index: usize, caller: String) -> itinerary_wallet::Ticket {
        let ticket = self.tickets.get(index);
        let is_only = self.tickets.len() <= 1;
        let has_seats = self.tickets.iter().any(|ticket| ticket.seat_number.is_some());
        itinerary_wallet::Ticket {
            holder: ticket.and_then(|ticket| text(ticket.holder.as_ref())).or_else(|| is_only.then_some(caller)),
            seat: if has_seats {
                ticket.and_then(|ticket| text(ticket.seat_number.as_ref()))
            } else {
                self.seat.clone()
            },
            coach: ticket.and_then(|ticket| text(ticket.coach_number.as_ref())),
            number: ticket.and_then(|ticket| text(ticket.ticket_number.as_ref())),
            confirmation: self.confirmation.clone(),
            barcode: ticket.and_then(barcode),
        }
    }
}

fn barcode(ticket: &Ticket) -> Option<Barcode> {
    let code = ticket.code.as_ref()?;
    let format = match code.format {
        TicketCodeFormat::Aztec => BarcodeFormat::Aztec,
        TicketCodeFormat::Qr => BarcodeFormat::Qr,
        TicketCodeFormat::Pdf417 => BarcodeFormat::Pdf417,
        TicketCodeFormat::Code128 => BarcodeFormat::Code128,
    };
    let content = match (&code.text, &code.data) {
        (Some(text), _) => BarcodeContent::Text(text.to_string()),
        (None, Some(data)) => BarcodeContent::Data(data.decode()),
        (None, None) => return None,
    };
    Some(Barcode { format, content })
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

/// A time in the time zone of a place, or a day if the time is unknown.
fn when(time: Option<&OffsetTime>, day: Option<&Date>, place: Option<&Place>) -> Option<When> {
    let time = time.map(|time| When::Time(local(time, place)));
    time.or_else(|| day.map(|day| When::Day(day.day())))
}

fn coordinate(place: Option<&Place>) -> Option<(f64, f64)> {
    let at = place.and_then(|place| place.coordinate)?;
    Some((at.latitude.get(), at.longitude.get()))
}

fn address(place: Option<&Place>) -> Option<String> {
    text(place.and_then(|place| place.address.as_ref()))
}

fn flight(flight: &Flight) -> Booking {
    Booking {
        item: flight_item(flight).map(Item::Flight),
        tickets: flight.tickets.to_vec(),
        confirmation: text(flight.confirmation_number.as_ref()),
        seat: text(flight.seat_number.as_ref()),
    }
}

fn flight_item(flight: &Flight) -> Result<itinerary_wallet::Flight> {
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
    })
}

fn hotel(hotel: &Hotel) -> Booking {
    let place = hotel.place.as_ref();
    let item = itinerary_wallet::Hotel {
        name: hotel.name.to_string(),
        address: address(place),
        coordinate: coordinate(place),
        check_in: hotel.check_in_date.as_ref().map(|time| local(time, place)),
        check_out: hotel.check_out_date.as_ref().map(|time| local(time, place)),
        room: text(hotel.room_number.as_ref()),
        phone: text(hotel.phone_number.as_ref()),
    };
    Booking {
        item: Ok(Item::Hotel(item)),
        tickets: hotel.tickets.to_vec(),
        confirmation: text(hotel.confirmation_number.as_ref()),
        seat: None,
    }
}

/// What a station is called: its name, address or code.
fn called(place: Option<&Place>) -> Option<String> {
    let place = place?;
    text(place.name.as_ref()).or_else(|| text(place.address.as_ref())).or_else(|| text(place.code.as_ref()))
}

fn has_place(transport: &Transport) -> bool {
    [&transport.departure_place, &transport.arrival_place].into_iter().any(|place| called(place.as_ref()).is_some())
}

fn transport(transport: &Transport) -> Booking {
    Booking {
        item: transport_item(transport).map(Item::Transport),
        tickets: transport.tickets.to_vec(),
        confirmation: text(transport.confirmation_number.as_ref()),
        seat: None,
    }
}

fn transport_item(transport: &Transport) -> Result<itinerary_wallet::Transport> {
    if !has_place(transport) {
        return Err(Error::Conflict(NEEDS_PLACE));
    }
    let mode = match transport.mode {
        Some(TransportMode::Train) => itinerary_wallet::TransportMode::Train,
        Some(TransportMode::Bus) => itinerary_wallet::TransportMode::Bus,
        Some(TransportMode::Ferry) => itinerary_wallet::TransportMode::Ferry,
        Some(TransportMode::Car) => itinerary_wallet::TransportMode::Car,
        Some(TransportMode::Taxi) => itinerary_wallet::TransportMode::Taxi,
        Some(TransportMode::Transfer) => itinerary_wallet::TransportMode::Transfer,
        Some(TransportMode::Other) | None => itinerary_wallet::TransportMode::Other,
    };
    let (from, to) = (transport.departure_place.as_ref(), transport.arrival_place.as_ref());
    let station = |place: Option<&Place>, platform| Station {
        name: called(place),
        platform: text(platform),
        coordinate: coordinate(place),
    };
    let operator = transport.operator.as_ref();
    let operator = operator.and_then(|it| text(it.name.as_ref()).or_else(|| text(it.code.as_ref())));
    Ok(itinerary_wallet::Transport {
        mode,
        operator,
        number: text(transport.number.as_ref()),
        departure: station(from, transport.departure_platform.as_ref()),
        arrival: station(to, transport.arrival_platform.as_ref()),
        departs: when(transport.departure_date.as_ref(), transport.departure_day.as_ref(), from),
        arrives: when(transport.arrival_date.as_ref(), None, to),
        class: text(transport.travel_class.as_ref()),
        phone: text(transport.phone_number.as_ref()),
    })
}

fn reservation(reservation: &Reservation) -> Booking {
    let place = reservation.place.as_ref();
    let item = itinerary_wallet::Reservation {
        name: reservation.name.to_string(),
        address: address(place),
        coordinate: coordinate(place),
        starts: when(reservation.start_date.as_ref(), reservation.start_day.as_ref(), place),
        ends: when(reservation.end_date.as_ref(), reservation.end_day.as_ref(), place),
        people: reservation.party_size.and_then(|people| u32::try_from(people.get()).ok()),
        phone: text(reservation.phone_number.as_ref()),
    };
    Booking {
        item: Ok(Item::Reservation(item)),
        tickets: reservation.tickets.to_vec(),
        confirmation: text(reservation.confirmation_number.as_ref()),
        seat: None,
    }
}
