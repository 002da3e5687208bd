use super::*;
use crate::booking::{Code, CodeContent, CodeFormat, Price, Spot, Ticket, Time};
use crate::finish::finish;
use crate::lookup::{Nothing, PlaceFacts};

/// Knows Lisbon and its airport.
struct Lisbon(PlaceFacts);

fn lisbon() -> Lisbon {
    Lisbon(PlaceFacts {
        name: "Lisbon".to_owned(),
        country: Some("PT".to_owned()),
        time_zone: Some("Europe/Lisbon".to_owned()),
        coordinate: Some((38.7, -9.1)),
    })
}

impl Lookup for Lisbon {
    fn airport(&self, code: &str) -> Option<&PlaceFacts> {
        (code == "LIS").then_some(&self.0)
    }

    fn town(&self, name: &str, _: Option<&str>) -> Option<&PlaceFacts> {
        (name == "Lisboa").then_some(&self.0)
    }

    fn zone_at(&self, latitude: f64, _: f64) -> Option<String> {
        (latitude > 60.0).then(|| "Europe/Oslo".to_owned())
    }
}

fn finished(booking: &Booking, lookup: &dyn Lookup) -> Item {
    let mut item = item(booking, 0, None, lookup, &mut Cuts::default());
    finish(&mut item, lookup);
    item
}

fn at(text: &str) -> chrono::NaiveDateTime {
    text.parse().unwrap()
}

fn train(time: Time, place: Spot) -> Booking {
    let mut booking = Booking::new(Kind::Transport(Mode::Train));
    booking.start = Call { place, time: Some(time), ..Call::default() };
    booking
}

#[test]
fn a_flight() {
    let mut booking = Booking::new(Kind::Flight);
    booking.operator.code = Some("tp".to_owned());
    booking.operator.name = Some("TP".to_owned());
    booking.number = Some("0672".to_owned());
    booking.start.place.code = Some("ams".to_owned());
    booking.end.place.code = Some("uic:12345".to_owned());
    booking.travel_class = Some("Business".to_owned());
    booking.booking_url = Some("javascript:alert(1)".to_owned());
    booking.confirmation_number = Some("X".repeat(60));
    booking.tickets = vec![Ticket {
        holder: Some("REIS/ANA MRS".to_owned()),
        seat_number: Some(" 12A ".to_owned()),
        code: Some(Code { format: None, content: CodeContent::Text("M1REIS/ANA  \u{1d}x ".to_owned()) }),
        ..Ticket::default()
    }];
    let mut cuts = Cuts::default();
    let item = item(&booking, 0, None, &Nothing, &mut cuts);
    assert_eq!(item.text("flightNumber"), Some("TP672"));
    assert_eq!((item.text("flightAirline.code"), item.text("flightAirline.name")), (Some("TP"), None));
    assert_eq!((item.text("departureAirport.code"), item.text("arrivalAirport.code")), (Some("AMS"), None));
    assert_eq!(item.text("cabinClass"), Some("business"));
    assert_eq!(item.text("bookingUrl"), None);
    assert_eq!(item.text("confirmationNumber").unwrap().len(), 50);
    let codes: Vec<ImportIgnoredCode> = cuts.0.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [ImportIgnoredCode::TooLarge, ImportIgnoredCode::Malformed]);
    let ticket = &item.tickets[0];
    assert_eq!((ticket.holder.as_deref(), ticket.seat_number.as_deref()), (Some("Ana Reis"), Some("12A")));
    // A control character is part of the code, so that it is kept as bytes.
    assert_eq!(ticket.code.as_ref().unwrap().data.as_ref().unwrap().decode(), b"M1REIS/ANA  \x1dx ");
}

#[test]
fn a_code_is_never_trimmed_and_left_out_if_too_long() {
    let mut booking = Booking::new(Kind::Flight);
    let code = |content| Ticket { code: Some(Code { format: Some(CodeFormat::Qr), content }), ..Ticket::default() };
    booking.tickets = vec![code(CodeContent::Text(" a ".to_owned())), code(CodeContent::Bytes(vec![7; 3_001]))];
    let mut cuts = Cuts::default();
    let item = item(&booking, 0, None, &Nothing, &mut cuts);
    assert_eq!(item.tickets.len(), 1);
    assert_eq!(item.tickets[0].code.as_ref().unwrap().text.as_deref(), Some(" a "));
    assert_eq!(cuts.0.len(), 1);
}

#[test]
fn times_get_the_offset_of_their_place() {
    let lookup = lisbon();
    let local = Time::Local(at("2027-05-15T08:05:00"));
    let date =
        |booking: &Booking, lookup: &dyn Lookup| finished(booking, lookup).text("departureDate").map(str::to_owned);
    let spot = Spot { city: Some("Lisboa".to_owned()), ..Spot::default() };
    assert_eq!(date(&train(local.clone(), spot.clone()), &lookup).as_deref(), Some("2027-05-15T08:05:00+01:00"));
    let north = Spot { coordinate: Some((61.0, 10.0)), ..Spot::default() };
    assert_eq!(date(&train(local.clone(), north), &lookup).as_deref(), Some("2027-05-15T08:05:00+02:00"));
    let country = Spot { name: Some("Utrecht".to_owned()), country: Some("Netherlands".to_owned()), ..Spot::default() };
    assert_eq!(date(&train(local.clone(), country), &Nothing).as_deref(), Some("2027-05-15T08:05:00+02:00"));
    let zone = Time::Zone(at("2027-12-15T08:05:00"), "America/New_York".to_owned());
    assert_eq!(date(&train(zone, spot.clone()), &Nothing).as_deref(), Some("2027-12-15T08:05:00-05:00"));
    let offset = Time::Offset(at("2027-05-15T08:05:00"), 330);
    assert_eq!(date(&train(offset, spot.clone()), &lookup).as_deref(), Some("2027-05-15T08:05:00+05:30"));
    let utc = Time::Offset(at("2027-05-15T23:05:00"), 0);
    assert_eq!(date(&train(utc.clone(), spot.clone()), &lookup).as_deref(), Some("2027-05-16T00:05:00+01:00"));
    assert_eq!(date(&train(utc, spot.clone()), &Nothing).as_deref(), Some("2027-05-15T23:05:00+00:00"));
    let unknown = finished(&train(local, spot), &Nothing);
    assert_eq!(unknown.text("departureDate"), None);
    assert_eq!(unknown.text("departureDay"), Some("2027-05-15"));
    assert_eq!(unknown.text("notes"), Some("Departure: 15 May 2027, 08:05 local time."));
}

#[test]
fn days_of_hotels() {
    let mut booking = Booking::new(Kind::Hotel);
    booking.name = Some("Hotel Exemplo".to_owned());
    booking.start.place.city = Some("Lisboa".to_owned());
    booking.start.time = Some(Time::Day("2027-05-15".parse().unwrap()));
    booking.end.time = Some(Time::Day("2027-05-18".parse().unwrap()));
    let known = finished(&booking, &lisbon());
    assert_eq!(known.text("checkInDate"), Some("2027-05-15T15:00:00+01:00"));
    assert_eq!(known.text("checkOutDate"), Some("2027-05-18T11:00:00+01:00"));
    let unknown = finished(&booking, &Nothing);
    assert_eq!(unknown.text("checkInDate"), None);
    assert_eq!(unknown.text("notes"), Some("Check-in: 15 May 2027.\nCheck-out: 18 May 2027."));
    assert_eq!(unknown.text("place.name"), Some("Hotel Exemplo"));
}

#[test]
fn what_the_api_rejects_is_left_out() {
    let mut booking = Booking::new(Kind::Flight);
    booking.start.time = Some(Time::Offset(at("2027-05-15T08:05:00"), 0));
    booking.end.time = Some(Time::Offset(at("2027-05-15T08:05:00"), 60));
    booking.price = Some(Price { amount: "12".to_owned(), currency: "XYZ".to_owned() });
    booking.start.place.coordinate = Some((91.0, 0.0));
    let item = finished(&booking, &Nothing);
    assert_eq!((item.text("arrivalDate"), item.price.as_ref()), (None, None));
    assert_eq!(item.at("departureAirport", "coordinate"), None);
    booking.start.time = Some(Time::Local(at("1066-10-14T09:00:00")));
    assert_eq!(finished(&booking, &Nothing).text("departureDay"), None);
}

#[test]
fn times_and_prices_that_are_left_out_are_listed() {
    let mut booking = train(Time::Day("0026-06-18".parse().unwrap()), Spot::default());
    booking.unread_times = vec!["tomorrow\nat noon".to_owned()];
    booking.price = Some(Price { amount: "12000".to_owned(), currency: "¥".to_owned() });
    let mut cuts = Cuts::default();
    let item = item(&booking, 0, None, &Nothing, &mut cuts);
    assert_eq!((item.day(item.part.start()), &item.price), (None, &None));
    let messages: Vec<&str> = cuts.0.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "The date 0026-06-18 was left out: its year is out of range.",
            "The time `tomorrow at noon` was left out: it cannot be read.",
            "The price `12000 ¥` was left out.",
        ]
    );
    assert!(cuts.0.iter().all(|(code, _)| *code == ImportIgnoredCode::Malformed));
}
