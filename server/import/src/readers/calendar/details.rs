//! What the lines of a description say, such as `Confirmation: Q7RT2K` and `Seat: 14C`.

use super::event::Event;
use crate::booking::{Booking, Kind, Ticket};
use crate::readers::labels::{self, Role};
use crate::readers::text;

/// The most bytes of a value.
const LONGEST_VALUE: usize = 200;
/// The most lines of a description that are looked at.
const MOST_LINES: usize = 200;

/// Values with labels.
#[derive(Debug, Default)]
pub(super) struct Details<'e>(Vec<(String, &'e str)>);

impl<'e> Details<'e> {
    pub(super) fn read(event: &'e Event) -> Self {
        // Lines with the address of TripIt are about TripIt.
        let lines = event.lines().filter(|line| !line.contains("tripit.com"));
        Self(lines.take(MOST_LINES).filter_map(labelled).collect())
    }

    /// The first value of a role.
    pub(super) fn get(&self, role: Role) -> Option<&'e str> {
        self.0.iter().find(|(label, _)| labels::is(role, label)).map(|(_, value)| *value)
    }

    /// The first value of a label.
    pub(super) fn of(&self, name: &str) -> Option<&'e str> {
        self.0.iter().find(|(label, _)| label == name).map(|(_, value)| *value)
    }

    fn own(&self, role: Role) -> Option<String> {
        self.get(role).map(str::to_owned)
    }

    /// Puts what the lines say into a booking, where it has nothing yet.
    pub(super) fn fill(&self, booking: &mut Booking) {
        let fill = |field: &mut Option<String>, found: Option<&str>| {
            if field.is_none() {
                *field = found.map(str::to_owned);
            }
        };
        let is_link = |value: &&str| value.starts_with("http");
        let confirmation =
            self.0.iter().find(|(label, value)| labels::is(Role::Confirmation, label) && !is_link(value));
        fill(&mut booking.confirmation_number, confirmation.map(|(_, value)| *value).filter(|value| value.len() <= 50));
        fill(&mut booking.booking_url, self.0.iter().map(|(_, value)| *value).find(|value| is_link(value)));
        let phones = ["phone", "telephone", "tel", "telefon", "téléphone", "teléfono"];
        fill(&mut booking.phone_number, phones.iter().find_map(|label| self.of(label)));
        fill(&mut booking.travel_class, self.get(Role::Class));
        fill(&mut booking.operator.name, self.get(Role::Operator));
        fill(&mut booking.provider, self.of("provider").or_else(|| self.of("bookedon")));
        match booking.kind {
            Kind::Flight => {
                fill(&mut booking.start.gate, self.get(Role::Gate));
                fill(&mut booking.start.terminal, self.get(Role::Terminal));
            }
            Kind::Transport(_) => fill(&mut booking.start.platform, self.get(Role::Platform)),
            Kind::Hotel | Kind::Reservation(_) => {}
        }
        if booking.party_size.is_none() {
            let sizes = ["partysize", "guests", "numberofguests", "people", "personen", "party"];
            booking.party_size = sizes.iter().find_map(|label| self.of(label)?.split(' ').next()?.parse().ok());
        }
        let ticket = Ticket {
            holder: self.own(Role::Passenger).or_else(|| self.of("undername").map(str::to_owned)),
            seat_number: self.own(Role::Seat),
            coach_number: self.own(Role::Coach).filter(|_| booking.kind != Kind::Flight),
            ticket_number: self.own(Role::TicketNumber),
            code: None,
        };
        if booking.tickets.is_empty() && ticket != Ticket::default() {
            booking.tickets.push(ticket);
        }
    }
}

/// The label of a line, in words, and its value: `Seat: 14C`, `Confirmation # L72DAQVHXB`, `conf #W95N92`.
fn labelled(line: &str) -> Option<(String, &str)> {
    let by_mark = line
        .find([':', '#'])
        .filter(|at| *at <= 40)
        .map(|at| (&line[..at], line[at..].trim_start_matches([':', '#', ' '])));
    let by_word = || {
        let rest = text::after(line, "Confirmation ")?;
        (!rest.contains(' ')).then_some(("confirmation", rest))
    };
    let (label, value) = by_mark.or_else(by_word)?;
    let value = value.trim();
    let label = labels::words(label);
    let label = if label == "conf" { "confirmation".to_owned() } else { label };
    let is_value = !value.is_empty() && value.len() <= LONGEST_VALUE && value.chars().any(char::is_alphanumeric);
    (is_value && !label.is_empty()).then_some((label, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_labels() {
        for (line, label, value) in [
            ("Seat: 14C", "seat", "14C"),
            ("Confirmation # L72DAQVHXB", "confirmation", "L72DAQVHXB"),
            ("Confirmation ABCDEF", "confirmation", "ABCDEF"),
            ("conf #W95N92", "confirmation", "W95N92"),
            ("Booking reference: XXX007", "bookingreference", "XXX007"),
            ("Booking: https://example.com/a", "booking", "https://example.com/a"),
        ] {
            assert_eq!(labelled(line), Some((label.to_owned(), value)), "{line}");
        }
        for line in ["JOHN DOE", "Seat:", ": 14C", "Confirmation follows by mail", "Gate: -"] {
            assert_eq!(labelled(line), None, "{line}");
        }
    }
}
