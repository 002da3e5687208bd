//! Tickets: travellers, seats and barcodes.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::node::Node;
use crate::booking::{Code, CodeContent, CodeFormat, Ticket};

/// Base64 as senders write it, with or without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Prefixes of `ticketToken`, as Google's guide and KDE define them: the symbology, and whether the rest is Base64.
const TOKENS: [(&str, Option<CodeFormat>, bool); 9] = [
    ("qrCode:", Some(CodeFormat::Qr), false),
    ("qrcodebin:", Some(CodeFormat::Qr), true),
    ("aztecCode:", Some(CodeFormat::Aztec), false),
    ("aztecbin:", Some(CodeFormat::Aztec), true),
    ("barcode128:", Some(CodeFormat::Code128), false),
    ("pdf417bin:", Some(CodeFormat::Pdf417), true),
    ("pdf417:", Some(CodeFormat::Pdf417), false),
    ("dataMatrixbin:", None, true),
    ("dataMatrix:", None, false),
];

/// The tickets of a reservation: one for each `reservedTicket`, else one for each traveller, else one if the reservation
/// itself has a seat, a number or a barcode.
pub(super) fn tickets(reservation: Node) -> Vec<Ticket> {
    let mut tickets: Vec<Ticket> = reservation.all("reservedTicket").into_iter().map(ticket).collect();
    let holders: Vec<String> = reservation.all("underName").into_iter().filter_map(Node::name).collect();
    if tickets.len() < holders.len() || tickets.is_empty() {
        tickets.resize(holders.len().max(1), Ticket::default());
    }
    // A single name for several tickets is the booker's, who has one of them.
    for (ticket, holder) in tickets.iter_mut().zip(holders) {
        ticket.holder.get_or_insert(holder);
    }
    if let Some(first) = tickets.first_mut() {
        let own = ticket(reservation);
        fill(&mut first.seat_number, own.seat_number);
        fill(&mut first.coach_number, own.coach_number);
        fill(&mut first.ticket_number, own.ticket_number);
        fill(&mut first.code, own.code);
    }
    tickets.retain(|ticket| *ticket != Ticket::default());
    tickets
}

fn fill<T>(field: &mut Option<T>, value: Option<T>) {
    *field = field.take().or(value);
}

/// Reads the fields of a ticket, from a `Ticket` or from the reservation.
fn ticket(node: Node) -> Ticket {
    let holder = if node.get("reservationFor").is_some() { None } else { node.name_of(&["underName"]) };
    let seats = seats(node);
    Ticket {
        holder,
        seat_number: joined(&seats, &["seatNumber"])
            .or_else(|| node.text_of(&["airplaneSeat", "venueSeat", "seatNumber"])),
        coach_number: joined(&seats, &["seatSection"]).or_else(|| node.text_of(&["venueSection", "seatSection"])),
        ticket_number: node.text_of(&["ticketNumber"]),
        code: node
            .any(&["ticketToken"])
            .filter(|token| token.is_whole())
            .and_then(Node::raw)
            .and_then(|token| code(&token)),
    }
}

fn seats(node: Node) -> Vec<Node> {
    let seats = node.all("ticketedSeat");
    if seats.is_empty() {
        node.all("airplaneSeat").into_iter().filter(|seat| seat.is_object()).collect()
    } else {
        seats
    }
}

/// The different values of a property of several seats.
fn joined(seats: &[Node], properties: &[&str]) -> Option<String> {
    let mut values: Vec<String> = Vec::new();
    for seat in seats {
        let text = if seat.is_object() {
            seat.text_of(properties)
        } else {
            seat.text().filter(|_| properties == ["seatNumber"])
        };
        values.extend(text.filter(|text| !values.contains(text)));
    }
    (!values.is_empty()).then(|| values.join(", "))
}

/// The class of travel of the first ticket that names one.
pub(super) fn travel_class(reservation: Node) -> Option<String> {
    let own = reservation.name_of(&["airplaneSeatClass", "travelClass"]);
    own.or_else(|| {
        let tickets = reservation.all("reservedTicket").into_iter().chain([reservation]);
        tickets.flat_map(seats).find_map(|seat| seat.name_of(&["seatingType"]))
    })
    .map(|class| {
        class.strip_prefix("http").map_or(class.clone(), |_| class.rsplit('/').next().unwrap_or_default().to_owned())
    })
}

/// The row of seats in a hall, which no field of a ticket has.
pub(super) fn rows(reservation: Node) -> Vec<String> {
    let tickets = reservation.all("reservedTicket").into_iter().chain([reservation]);
    let mut rows: Vec<String> = tickets.flat_map(seats).filter_map(|seat| seat.text_of(&["seatRow"])).collect();
    rows.extend(reservation.text_of(&["venueRow"]));
    rows.dedup();
    rows
}

/// The address of a barcode's image, if a ticket has that instead of the content.
pub(super) fn image_address(reservation: Node) -> Option<String> {
    let tickets = reservation.all("reservedTicket").into_iter().chain([reservation]);
    tickets.filter_map(|ticket| ticket.any(&["ticketToken"])?.text()).find(|token| is_address(token))
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// A barcode from a `ticketToken`. An address is that of an image, which nobody fetches.
fn code(token: &str) -> Option<Code> {
    if is_address(token.trim()) {
        return None;
    }
    let trimmed = token.trim_start();
    let known = TOKENS.iter().find_map(|(prefix, format, is_base64)| {
        let rest = trimmed.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix))?;
        Some((&trimmed[rest.len()..], *format, *is_base64))
    });
    let (content, format, is_base64) = known.unwrap_or((token, None, false));
    let content = if is_base64 { bytes(content)? } else { CodeContent::Text(content.to_owned()) };
    let is_empty = matches!(&content, CodeContent::Text(text) if text.trim().is_empty());
    (!is_empty).then_some(Code { format, content })
}

/// Bytes that are text become text, so that the same barcode in two forms is equal.
fn bytes(base64: &str) -> Option<CodeContent> {
    let base64: String = base64.chars().filter(|character| !character.is_whitespace()).collect();
    let bytes = LENIENT.decode(base64).ok().filter(|bytes| !bytes.is_empty())?;
    Some(match String::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => CodeContent::Text(text),
        Ok(text) => CodeContent::Bytes(text.into_bytes()),
        Err(error) => CodeContent::Bytes(error.into_bytes()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::node::Graph;
    use super::*;

    fn read(value: Value) -> Vec<Ticket> {
        let values = [value];
        let graph = Graph::new(&values);
        tickets(graph.node(&values[0]))
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with optional fields")]
    fn text(format: Option<CodeFormat>, text: &str) -> Option<Code> {
        Some(Code { format, content: CodeContent::Text(text.to_owned()) })
    }

    #[test]
    fn tokens_name_the_symbology() {
        assert_eq!(code("qrCode:https://a.example/1 "), text(Some(CodeFormat::Qr), "https://a.example/1 "));
        assert_eq!(code("azteccode: M1"), text(Some(CodeFormat::Aztec), " M1"));
        assert_eq!(code("barcode128:00123"), text(Some(CodeFormat::Code128), "00123"));
        assert_eq!(code("dataMatrix:x"), text(None, "x"));
        assert_eq!(code("M1KERN/ADA"), text(None, "M1KERN/ADA"));
        assert_eq!(code("aztecbin:TTFLRVJO"), text(Some(CodeFormat::Aztec), "M1KERN"));
        let binary = Code { format: Some(CodeFormat::Aztec), content: CodeContent::Bytes(vec![0x7e, 0x8a]) };
        assert_eq!(code("aztecbin:foo"), Some(binary));
        for token in ["", "qrCode:", "aztecbin:", "aztecbin:***", "https://a.example/code.png"] {
            assert_eq!(code(token), None, "{token}");
        }
    }

    #[test]
    fn seats_are_found_at_the_ticket_and_at_the_reservation() {
        let of_ticket =
            read(json!({"underName": "Ada Kern", "reservedTicket": {"ticketNumber": "T1", "ticketToken": "qrCode:x",
            "ticketedSeat": {"seatNumber": 62, "seatSection": "17"}}}));
        let expected = Ticket {
            holder: Some("Ada Kern".to_owned()),
            seat_number: Some("62".to_owned()),
            coach_number: Some("17".to_owned()),
            ticket_number: Some("T1".to_owned()),
            code: text(Some(CodeFormat::Qr), "x"),
        };
        assert_eq!(of_ticket, [expected]);
        let of_reservation = read(json!({"airplaneSeat": "16E", "ticketToken": "qrCode:y", "reservationFor": {}}));
        assert_eq!(of_reservation[0].seat_number.as_deref(), Some("16E"));
        assert_eq!(of_reservation[0].code, text(Some(CodeFormat::Qr), "y"));
        let several = read(json!({"reservedTicket": {"ticketedSeat": [{"seatNumber": "1", "seatSection": "A"},
            {"seatNumber": "2", "seatSection": "A"}]}}));
        assert_eq!(several[0].seat_number.as_deref(), Some("1, 2"));
        assert_eq!(several[0].coach_number.as_deref(), Some("A"));
    }

    #[test]
    fn travellers_have_a_ticket_each() {
        let named = read(json!({"underName": {"name": "Ada Kern"}, "reservedTicket": [
            {"underName": {"name": "Ben Kern"}, "ticketToken": "qrCode:1"}, {"ticketToken": "qrCode:2"}]}));
        let holders: Vec<_> = named.iter().map(|ticket| ticket.holder.as_deref()).collect();
        assert_eq!(holders, [Some("Ben Kern"), None]);
        let unticketed = read(json!({"underName": [{"name": "Ada"}, {"name": "Ben"}]}));
        assert_eq!(unticketed.len(), 2);
        assert_eq!(read(json!({"underName": {}, "reservedTicket": {}})), []);
    }
}
