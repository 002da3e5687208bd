//! Barcodes of boarding passes: IATA's BCBP (resolution 792), versions 1 to 8, with up to four flights.
//!
//! The mandatory fields have fixed positions. Behind those of each flight follows a section whose size is given in
//! hexadecimal digits, with the conditional fields and the airline's own. Security data, which ends the barcode, is not
//! read. The year of a flight is not in the barcode: see [`Leg::day`].

mod field;

use chrono::{Datelike, Days, NaiveDate};

use crate::booking::{Booking, Call, Code, CodeContent, CodeFormat, Kind, Organisation, Spot, Ticket, Time};
use crate::budget::Budget;
use crate::file::{Found, Ignored, Reason};
use crate::readers::number::{self, without_zeros};
use field::Fields;

/// The most characters of a barcode that are read. Four flights with all conditional fields have about 500.
const MOST_CHARACTERS: usize = 2_000;
/// The longest time, in days, from when a pass is issued to its flight that is not taken for the year before.
const CLOCKS_APART: u64 = 2;

/// A boarding pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardingPass {
    /// The passenger as `SURNAME/GIVEN NAMES`, cut by the issuer after 20 characters.
    pub passenger: String,
    /// Whether there is an electronic ticket.
    pub is_electronic: bool,
    /// The last digit of the year and the day of the year on which the pass was issued.
    pub issued: Option<(u32, u32)>,
    /// The flights, at least one.
    pub legs: Vec<Leg>,
}

/// One flight of a boarding pass. Fields that are blank are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leg {
    /// The operating carrier's record locator.
    pub record_locator: Option<String>,
    /// The IATA code of the airport of departure.
    pub from: String,
    /// The IATA code of the airport of arrival.
    pub to: String,
    /// The operating carrier's code.
    pub carrier: Option<String>,
    /// The flight's number without leading zeros, with its suffix if it has one.
    pub number: Option<String>,
    /// The day of the year of the departure, 1 to 366.
    pub day_of_year: u32,
    /// The code of the compartment, such as `Y`.
    pub class: Option<String>,
    /// The seat without leading zeros.
    pub seat: Option<String>,
    /// The number in the sequence of check-ins, without leading zeros.
    pub sequence: Option<String>,
    /// The passenger's status, such as `1` for a passenger who has checked in.
    pub status: Option<char>,
    /// The ticket's number, as `014 1234567890`.
    pub ticket_number: Option<String>,
}

/// Reads the barcode of a boarding pass. `None` if the text is none.
pub fn parse(text: &str) -> Option<BoardingPass> {
    if !has_head(text) {
        return None;
    }
    let characters: Vec<char> = text.chars().take(MOST_CHARACTERS).collect();
    let mut fields = Fields::new(&characters);
    fields.skip(1);
    let legs = fields.text(1)?.parse::<usize>().ok()?;
    let passenger = fields.text(20).filter(|name| name.chars().any(char::is_alphabetic))?;
    let is_electronic = fields.text(1).as_deref() == Some("E");
    let mut pass = BoardingPass { passenger, is_electronic, issued: None, legs: Vec::with_capacity(legs) };
    for index in 0..legs {
        let Some(mut leg) = mandatory(&mut fields) else { break };
        let size = fields.size().unwrap_or_default();
        let mut conditional = fields.section(size);
        if index == 0 {
            pass.issued = unique(&mut conditional);
        }
        leg.ticket_number = repeated(&mut conditional);
        pass.legs.push(leg);
    }
    (!pass.legs.is_empty()).then_some(pass)
}

/// Whether the text begins as the barcode of a boarding pass, which rejects other texts at once.
fn has_head(text: &str) -> bool {
    matches!(text.as_bytes(), [b'M', b'1'..=b'4', name, ..] if !name.is_ascii_whitespace())
}

/// The mandatory fields of one flight. `None` if they cannot be ones.
fn mandatory(fields: &mut Fields<'_>) -> Option<Leg> {
    let record_locator = fields.text(7);
    let (from, to) = (airport(fields)?, airport(fields)?);
    let carrier = fields.text(3);
    if !carrier.iter().flat_map(|code| code.chars()).all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) {
        return None;
    }
    let number = fields.text(5).map(|number| without_zeros(&number));
    let day_of_year = fields.text(3)?.parse().ok().filter(|day| (1..=366).contains(day))?;
    let class = fields.text(1);
    let seat = fields.text(4).map(|seat| without_zeros(&seat));
    let sequence = fields.text(5).map(|sequence| without_zeros(&sequence));
    let status = fields.text(1).and_then(|status| status.chars().next());
    Some(Leg {
        record_locator,
        from,
        to,
        carrier,
        number,
        day_of_year,
        class,
        seat,
        sequence,
        status,
        ticket_number: None,
    })
}

fn airport(fields: &mut Fields<'_>) -> Option<String> {
    fields.text(3).filter(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Reads past the fields that a barcode has once, and gives the date of issue: the year's last digit and the day of the
/// year.
fn unique(conditional: &mut Fields<'_>) -> Option<(u32, u32)> {
    if conditional.peek() != Some('>') {
        return None;
    }
    conditional.skip(2);
    let size = conditional.size()?;
    let mut section = conditional.section(size);
    section.skip(3);
    let (year, day) = (section.text(1)?, section.text(3)?);
    Some((year.parse().ok()?, day.parse().ok().filter(|day| (1..=366).contains(day))?))
}

/// Reads the conditional fields of one flight, and gives the ticket's number.
fn repeated(conditional: &mut Fields<'_>) -> Option<String> {
    let size = conditional.size()?;
    let mut section = conditional.section(size);
    let (airline, document) = (section.text(3)?, section.text(10)?);
    let is_number = |text: &str, digits| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_ticket = is_number(&airline, 3) && is_number(&document, 10) && document.bytes().any(|byte| byte != b'0');
    is_ticket.then(|| format!("{airline} {document}"))
}

impl BoardingPass {
    /// The day on which the pass was issued: the last one before `as_of` that has this digit and this day of the year.
    pub fn issue_date(&self, as_of: NaiveDate) -> Option<NaiveDate> {
        let (digit, day) = self.issued?;
        let latest = as_of.checked_add_days(Days::new(CLOCKS_APART))?;
        (0..20)
            .map(|years| latest.year() - years)
            .filter(|year| year.rem_euclid(10).unsigned_abs() == digit)
            .filter_map(|year| NaiveDate::from_yo_opt(year, day))
            .find(|date| *date <= latest)
    }

    /// The flights as bookings, each with one ticket that has the whole barcode.
    pub fn into_bookings(self, code: &Code, as_of: NaiveDate) -> Vec<Booking> {
        let issued = self.issue_date(as_of);
        let passenger = self.passenger;
        self.legs.into_iter().map(|leg| leg.into_booking(&passenger, code, issued, as_of)).collect()
    }
}

impl Leg {
    /// The day of the departure: the first such day from the issue on; without a date of issue the one that is nearest to
    /// `as_of`. `None` if no year at hand has that many days.
    pub fn day(&self, issued: Option<NaiveDate>, as_of: NaiveDate) -> Option<NaiveDate> {
        let on = |year| NaiveDate::from_yo_opt(year, self.day_of_year);
        let Some(issued) = issued else {
            let years = as_of.year() - 4..=as_of.year() + 4;
            return years.filter_map(on).min_by_key(|day| (*day - as_of).num_days().abs());
        };
        // The clocks of the issuer and of the airport may be a day apart.
        let earliest = issued.checked_sub_days(Days::new(CLOCKS_APART))?;
        (issued.year() - 1..=issued.year() + 8).filter_map(on).find(|day| *day >= earliest)
    }

    fn into_booking(self, passenger: &str, code: &Code, issued: Option<NaiveDate>, as_of: NaiveDate) -> Booking {
        let day = self.day(issued, as_of);
        let at = |airport: String| Spot { code: Some(airport), ..Spot::default() };
        Booking {
            operator: Organisation { code: self.carrier, name: None },
            number: self.number,
            start: Call { place: at(self.from), time: day.map(Time::Day), ..Call::default() },
            end: Call { place: at(self.to), ..Call::default() },
            travel_class: self.class,
            confirmation_number: self.record_locator,
            tickets: vec![Ticket {
                holder: Some(passenger.to_owned()),
                seat_number: self.seat,
                coach_number: None,
                ticket_number: self.ticket_number,
                code: Some(code.clone()),
            }],
            ..Booking::new(Kind::Flight)
        }
    }
}

/// The flights of a barcode. None if it is not a boarding pass's.
///
/// `as_of` is a day near the flight, such as today: see [`Leg::day`].
pub fn read_code(text: &str, format: Option<CodeFormat>, as_of: NaiveDate) -> Vec<Booking> {
    let code = Code { format, content: CodeContent::Text(text.to_owned()) };
    parse(text).map(|pass| pass.into_bookings(&code, as_of)).unwrap_or_default()
}

/// Adds to a flight what the barcode of its ticket says and the file does not. The barcode's flight must be the same as far
/// as both are known.
pub fn fill(booking: &mut Booking, as_of: NaiveDate) {
    if booking.kind != Kind::Flight {
        return;
    }
    let codes = booking.tickets.iter().enumerate().filter_map(|(at, ticket)| match &ticket.code.as_ref()?.content {
        CodeContent::Text(text) => Some((at, read_code(text, None, as_of))),
        CodeContent::Bytes(_) => None,
    });
    for (at, flights) in codes.collect::<Vec<_>>() {
        let Some(known) = flights.into_iter().find(|flight| is_same(flight, booking)) else { continue };
        let ticket = &mut booking.tickets[at];
        for found in known.tickets {
            ticket.holder = ticket.holder.take().or(found.holder);
            ticket.seat_number = ticket.seat_number.take().or(found.seat_number);
            ticket.ticket_number = ticket.ticket_number.take().or(found.ticket_number);
        }
        booking.operator.code = booking.operator.code.take().or(known.operator.code);
        booking.number = booking.number.take().or(known.number);
        booking.start.place.code = booking.start.place.code.take().or(known.start.place.code);
        booking.end.place.code = booking.end.place.code.take().or(known.end.place.code);
        booking.start.time = booking.start.time.take().or(known.start.time);
        booking.travel_class = booking.travel_class.take().or(known.travel_class);
        booking.confirmation_number = booking.confirmation_number.take().or(known.confirmation_number);
    }
}

/// Whether a flight of a barcode may be that of a booking: no airport and no number differs.
fn is_same(flight: &Booking, booking: &Booking) -> bool {
    let agree = |one: &Option<String>, other: &Option<String>| one.is_none() || other.is_none() || one == other;
    // The booking's may be with or without the airline's code.
    let number =
        booking.number.as_deref().map(|text| number::flight(text).map_or(without_zeros(text), |(_, number)| number));
    agree(&flight.number, &number)
        && agree(&flight.start.place.code, &booking.start.place.code)
        && agree(&flight.end.place.code, &booking.end.place.code)
}

/// The flights of a text file with barcodes, one a line.
pub fn read(content: &[u8], as_of: NaiveDate, budget: &mut Budget<'_>) -> Result<Found, Ignored> {
    let text = crate::text::decode(content, None);
    let mut bookings = Vec::new();
    for line in text.lines().filter(|line| has_head(line)) {
        for booking in read_code(line, None, as_of) {
            budget.take_item()?;
            bookings.push(booking);
        }
    }
    if bookings.is_empty() {
        let message = "The file has no barcode of a boarding pass.".to_owned();
        return Err(Ignored { reason: Reason::NotRecognised, message });
    }
    Ok(Found { bookings, ..Found::default() })
}

#[cfg(test)]
mod tests;
