//! One reservation and what it is for: a booking.

use super::node::Node;
use super::{place, price, ticket, time};
use crate::booking::{Booking, Call, Category, Kind, Mode, Organisation, Spot};
use crate::text;

/// The kinds of reservations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReservationKind {
    Flight,
    Lodging,
    Train,
    Bus,
    Boat,
    RentalCar,
    Taxi,
    Restaurant,
    Event,
}

impl ReservationKind {
    /// The kind by the reservation's type. A `Reservation` without a kind has that of what it is for.
    pub(super) fn of(node: Node) -> Option<Self> {
        let by_type = node.types().find_map(|name| {
            Some(match name.to_ascii_lowercase().as_str() {
                "flightreservation" => Self::Flight,
                "lodgingreservation" => Self::Lodging,
                "trainreservation" => Self::Train,
                "busreservation" => Self::Bus,
                "boatreservation" => Self::Boat,
                "rentalcarreservation" => Self::RentalCar,
                "taxireservation" => Self::Taxi,
                "foodestablishmentreservation" => Self::Restaurant,
                "eventreservation" => Self::Event,
                _ => return None,
            })
        });
        let thing = || node.get("reservationFor").filter(|_| node.is_a(&["Reservation"]));
        by_type.or_else(|| Self::of_thing(thing()?))
    }

    fn of_thing(thing: Node) -> Option<Self> {
        const THINGS: [(ReservationKind, &[&str]); 8] = [
            (ReservationKind::Flight, &["Flight"]),
            (ReservationKind::Train, &["TrainTrip"]),
            (ReservationKind::Bus, &["BusTrip"]),
            (ReservationKind::Boat, &["BoatTrip"]),
            (ReservationKind::RentalCar, &["RentalCar", "Car"]),
            (ReservationKind::Taxi, &["Taxi"]),
            (
                ReservationKind::Lodging,
                &["LodgingBusiness", "Hotel", "Hostel", "Motel", "Resort", "BedAndBreakfast", "Campground"],
            ),
            (ReservationKind::Restaurant, &["FoodEstablishment", "Restaurant", "CafeOrCoffeeShop", "BarOrPub"]),
        ];
        let found = THINGS.iter().find(|(_, names)| thing.is_a(names)).map(|(kind, _)| *kind);
        found.or_else(|| is_event(thing).then_some(Self::Event))
    }

    fn kind(self, thing: Option<Node>) -> Kind {
        match self {
            Self::Flight => Kind::Flight,
            Self::Lodging => Kind::Hotel,
            Self::Train => Kind::Transport(Mode::Train),
            Self::Bus => Kind::Transport(Mode::Bus),
            Self::Boat => Kind::Transport(Mode::Ferry),
            Self::RentalCar => Kind::Transport(Mode::Car),
            Self::Taxi => Kind::Transport(Mode::Taxi),
            Self::Restaurant => Kind::Reservation(Category::Restaurant),
            Self::Event if thing.is_some_and(|thing| thing.is_a(&ACTIVITIES)) => Kind::Reservation(Category::Activity),
            Self::Event => Kind::Reservation(Category::Event),
        }
    }
}

/// What is done rather than attended.
const ACTIVITIES: [&str; 5] = ["TouristAttraction", "TouristTrip", "Trip", "SportsActivityLocation", "Product"];

/// Whether an object is an event or one of its sub-types, such as `MusicEvent`.
pub(super) fn is_event(node: Node) -> bool {
    node.types().any(|name| {
        name.ends_with("Event") || matches!(name, "Festival" | "Hackathon" | "EventSeries" | "CourseInstance")
    })
}

/// Reads a reservation for `thing`. None if it says neither a number nor a place, a name or a time.
pub(super) fn reservation(kind: ReservationKind, node: Node, thing: Option<Node>) -> Option<Booking> {
    let mut booking = Booking::new(kind.kind(thing));
    match kind {
        ReservationKind::Flight => flight(&mut booking, node, thing),
        ReservationKind::Train => ride(&mut booking, node, thing, &TRAIN),
        ReservationKind::Bus => ride(&mut booking, node, thing, &BUS),
        ReservationKind::Boat => ride(&mut booking, node, thing, &BOAT),
        ReservationKind::RentalCar | ReservationKind::Taxi => hire(&mut booking, node, thing),
        ReservationKind::Lodging => stay(&mut booking, node, thing),
        ReservationKind::Restaurant => table(&mut booking, node, thing),
        ReservationKind::Event => attend(&mut booking, node, thing),
    }
    common(&mut booking, node, thing);
    let says_something = booking.confirmation_number.is_some()
        || booking.number.is_some()
        || booking.name.is_some()
        || [&booking.start, &booking.end].iter().any(|call| call.time.is_some() || call.place != Spot::default());
    says_something.then_some(booking)
}

/// Reads an event that nobody has reserved. None without a name and a start.
pub(super) fn event(node: Node) -> Option<Booking> {
    let mut booking = Booking::new(Kind::Reservation(Category::Event));
    attend(&mut booking, node, Some(node));
    booking.modified = node.get("modifiedTime").and_then(time::instant);
    booking.booking_url = address(node, &["url"]);
    booking.unread_times = unread_times(node, None);
    (booking.name.is_some() && booking.start.time.is_some()).then_some(booking)
}

/// What all reservations have.
fn common(booking: &mut Booking, node: Node, thing: Option<Node>) {
    booking.cancelled |= is_cancelled(node, "reservationStatus");
    booking.modified = node.any(&["modifiedTime", "dateModified"]).and_then(time::instant);
    booking.confirmation_number = node.text_of(&["reservationNumber", "reservationId", "confirmationNumber"]);
    booking.provider = provider(booking, node);
    booking.booking_url = address(node, &["url", "modifyReservationUrl", "ticketDownloadUrl", "checkinUrl"])
        .or_else(|| address(thing?, &["url"]).filter(|_| matches!(booking.kind, Kind::Reservation(_))))
        .or_else(|| ticket::image_address(node));
    booking.phone_number = booking.phone_number.take().or_else(|| node.text_of(&["telephone", "phone"]));
    booking.price = price::price(node);
    booking.unread_times = unread_times(node, thing);
    booking.tickets = ticket::tickets(node);
    let has_coaches = matches!(booking.kind, Kind::Transport(Mode::Train | Mode::Bus));
    add_notes(booking, node, has_coaches);
}

/// Who sold the booking, if that is not the operator or the hotel itself.
fn provider(booking: &Booking, node: Node) -> Option<String> {
    let name = node.name_of(&["broker", "bookingAgent", "provider"])?;
    let own = [&booking.operator.name, &booking.operator.code, &booking.name];
    (!own.iter().any(|own| own.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(&name)))).then_some(name)
}

fn is_cancelled(node: Node, property: &str) -> bool {
    node.text_of(&[property]).is_some_and(|status| status.to_ascii_lowercase().contains("cancel"))
}

fn address(node: Node, properties: &[&str]) -> Option<String> {
    let addresses = properties.iter().filter_map(|property| {
        let value = node.get(property)?;
        let text = value.raw().or_else(|| value.any(&["url", "@id"])?.raw())?;
        Some(text.trim().to_owned())
    });
    addresses.into_iter().find(|address| {
        let scheme = address.get(..8).unwrap_or_default().to_ascii_lowercase();
        scheme.starts_with("https://") || scheme.starts_with("http://")
    })
}

/// Words without a field: the boarding group, the seats' row in a hall, the kind of room.
fn add_notes(booking: &mut Booking, node: Node, has_coaches: bool) {
    let mut lines: Vec<String> = booking.notes.take().into_iter().collect();
    lines.extend(node.text_of(&["boardingGroup"]).map(|group| format!("Boarding group: {group}")));
    let rows = ticket::rows(node);
    if !rows.is_empty() {
        lines.push(format!("Row: {}", rows.join(", ")));
    }
    if !has_coaches {
        let mut sections: Vec<String> =
            booking.tickets.iter_mut().filter_map(|ticket| ticket.coach_number.take()).collect();
        sections.dedup();
        if !sections.is_empty() {
            lines.push(format!("Section: {}", sections.join(", ")));
        }
        booking.tickets.retain(|ticket| *ticket != crate::booking::Ticket::default());
    }
    booking.notes = (!lines.is_empty()).then(|| lines.join("\n"));
}

/// The properties that are times, of reservations and of what is reserved.
const TIMES: [&str; 14] = [
    "departureTime",
    "arrivalTime",
    "departureDay",
    "pickupTime",
    "dropoffTime",
    "checkinTime",
    "checkinDate",
    "checkoutTime",
    "checkoutDate",
    "startTime",
    "startDate",
    "doorTime",
    "endTime",
    "endDate",
];

/// The texts of properties that are times but cannot be read.
fn unread_times(node: Node, thing: Option<Node>) -> Vec<String> {
    let nodes = [Some(node), thing].into_iter().flatten();
    let times = nodes.flat_map(|node| TIMES.iter().filter_map(move |name| node.get(name)));
    let unread = times.filter(|time| time::time(*time).is_none()).filter_map(Node::raw);
    unread.filter(|text| !text.trim().is_empty()).map(std::borrow::Cow::into_owned).collect()
}

fn flight(booking: &mut Booking, node: Node, thing: Option<Node>) {
    booking.travel_class = ticket::travel_class(node);
    let Some(flight) = thing else { return };
    booking.number = flight.text_of(&["flightNumber"]);
    booking.operator = flight.any(&["airline", "provider", "carrier", "seller"]).map(organisation).unwrap_or_default();
    let call = |airport: &str, time: &[&str], terminal: &str, gate: &str| Call {
        place: flight.get(airport).map(place::airport).unwrap_or_default(),
        time: flight.any(time).and_then(time::time),
        platform: None,
        terminal: flight.name_of(&[terminal]),
        gate: flight.name_of(&[gate]),
    };
    booking.start = call("departureAirport", &["departureTime"], "departureTerminal", "departureGate");
    booking.end = call("arrivalAirport", &["arrivalTime"], "arrivalTerminal", "arrivalGate");
    or_day(&mut booking.start, flight);
}

/// The properties of a kind of ride.
struct Ride {
    departure: [&'static str; 3],
    arrival: [&'static str; 3],
    name: &'static str,
    number: &'static str,
    company: [&'static str; 2],
}

const TRAIN: Ride = Ride {
    departure: ["departureStation", "departStation", "departurePlace"],
    arrival: ["arrivalStation", "arriveStation", "arrivalPlace"],
    name: "trainName",
    number: "trainNumber",
    company: ["trainCompany", "provider"],
};
const BUS: Ride = Ride {
    departure: ["departureBusStop", "departureStation", "departureBusStation"],
    arrival: ["arrivalBusStop", "arrivalStation", "arrivalBusStation"],
    name: "busName",
    number: "busNumber",
    company: ["busCompany", "provider"],
};
const BOAT: Ride = Ride {
    departure: ["departureBoatTerminal", "departureTerminal", "departurePlace"],
    arrival: ["arrivalBoatTerminal", "arrivalTerminal", "arrivalPlace"],
    name: "boatName",
    number: "boatNumber",
    company: ["boatCompany", "provider"],
};

fn ride(booking: &mut Booking, node: Node, thing: Option<Node>, ride: &Ride) {
    booking.travel_class = ticket::travel_class(node);
    let Some(trip) = thing else { return };
    booking.number = ride_number(trip.text_of(&[ride.name]), trip.text_of(&[ride.number]));
    booking.name = trip.name_of(&["name"]).filter(|_| booking.kind == Kind::Transport(Mode::Ferry));
    booking.operator = trip.any(&ride.company).map(organisation).unwrap_or_default();
    let call = |stops: &[&str], time: &str, platform: &str| Call {
        place: trip.any(stops).map(place::spot).unwrap_or_default(),
        time: trip.get(time).and_then(time::time),
        platform: trip.name_of(&[platform]),
        ..Call::default()
    };
    booking.start = call(&ride.departure, "departureTime", "departurePlatform");
    booking.end = call(&ride.arrival, "arrivalTime", "arrivalPlatform");
    or_day(&mut booking.start, trip);
}

/// `TGV` and `5186` are one number; `ICE` and `ICE 13` too.
fn ride_number(name: Option<String>, number: Option<String>) -> Option<String> {
    match (name, number) {
        (Some(name), Some(number)) => {
            let lower = number.to_lowercase();
            let has_name = lower.starts_with(&name.to_lowercase());
            Some(if has_name {
                number
            } else if name.to_lowercase().ends_with(&lower) {
                name
            } else {
                format!("{name} {number}")
            })
        }
        (name, number) => number.or(name),
    }
}

/// The day of departure, where its time is unknown.
fn or_day(call: &mut Call, trip: Node) {
    call.time = call.time.take().or_else(|| trip.get("departureDay").and_then(time::day));
}

/// A hired car, or a taxi.
fn hire(booking: &mut Booking, node: Node, thing: Option<Node>) {
    let call = |places: &[&str], times: &[&str]| Call {
        place: node.any(places).map(place::spot).unwrap_or_default(),
        time: node.any(times).and_then(time::time),
        ..Call::default()
    };
    booking.start = call(&["pickupLocation"], &["pickupTime"]);
    booking.end = call(&["dropoffLocation"], &["dropoffTime"]);
    booking.party_size = party_size(node);
    let locations = ["pickupLocation", "dropoffLocation"];
    booking.phone_number = locations.iter().find_map(|location| node.get(location)?.text_of(&["telephone"]));
    let company = thing.and_then(|car| car.any(&["rentalCompany", "provider"])).or_else(|| node.get("provider"));
    booking.operator = company.map(organisation).unwrap_or_default();
    if let Some(phone) = company.and_then(|company| company.text_of(&["telephone"])) {
        booking.phone_number.get_or_insert(phone);
    }
    booking.name = thing.and_then(|car| car.name().or_else(|| vehicle(car)));
}

/// `Honda Civic`
fn vehicle(car: Node) -> Option<String> {
    let (brand, model) = (car.name_of(&["brand"]), car.name_of(&["model"]));
    let parts: Vec<String> = [brand, model].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn stay(booking: &mut Booking, node: Node, thing: Option<Node>) {
    venue(booking, thing);
    booking.start.time = node.any(&["checkinTime", "checkinDate"]).and_then(time::time);
    booking.end.time = node.any(&["checkoutTime", "checkoutDate"]).and_then(time::time);
    booking.party_size = party_size(node);
    booking.notes = node.name_of(&["lodgingUnitType", "lodgingUnitDescription"]);
}

fn table(booking: &mut Booking, node: Node, thing: Option<Node>) {
    venue(booking, thing.or_else(|| node.get("provider")));
    booking.start.time = node.any(&["startTime", "startDate"]).and_then(time::time);
    booking.end.time = node.any(&["endTime", "endDate"]).and_then(time::time);
    booking.party_size = party_size(node);
}

/// The hotel or restaurant, which is its own place.
fn venue(booking: &mut Booking, thing: Option<Node>) {
    let Some(thing) = thing else { return };
    booking.name = thing.name();
    booking.start.place = place::spot(thing);
    booking.phone_number = thing.text_of(&["telephone", "phone"]);
}

fn attend(booking: &mut Booking, node: Node, thing: Option<Node>) {
    booking.party_size = party_size(node);
    let Some(event) = thing else { return };
    booking.name = event.name();
    booking.cancelled = is_cancelled(event, "eventStatus");
    booking.start.time = event.any(&["startDate", "startTime", "doorTime"]).and_then(time::time);
    booking.end.time = event.any(&["endDate", "endTime"]).and_then(time::time);
    let location = event.all("location").into_iter().find(|location| !location.is_a(&["VirtualLocation"]));
    if let Some(location) = location {
        booking.start.place = place::spot(location);
        booking.phone_number = location.text_of(&["telephone", "phone"]);
    } else if event.is_a(&ACTIVITIES) {
        booking.start.place = place::spot(event);
    }
    booking.notes = event.get("description").and_then(Node::raw).and_then(|text| text::plain_lines(&text));
}

fn organisation(node: Node) -> Organisation {
    Organisation { code: node.text_of(&["iataCode"]), name: node.name() }
}

/// The number of people: `partySize` or `numSeats`, also as a `QuantitativeValue`, or the adults and children of a stay.
fn party_size(node: Node) -> Option<u32> {
    let number = |property: &str| {
        let value = node.get(property)?;
        let text = value.text().or_else(|| value.text_of(&["value", "maxValue"]))?;
        text.trim_end_matches(".0").parse::<u32>().ok()
    };
    number("partySize").or_else(|| number("numSeats")).or_else(|| match (number("numAdults"), number("numChildren")) {
        (None, None) => None,
        (adults, children) => adults.unwrap_or(0).checked_add(children.unwrap_or(0)),
    })
}
