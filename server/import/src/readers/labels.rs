//! Labels of values, in the words of airlines, railways and organisers in several languages.

/// What a field is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Number,
    Gate,
    Terminal,
    Seat,
    Coach,
    Platform,
    Passenger,
    Confirmation,
    TicketNumber,
    Class,
    Operator,
    Date,
    Departure,
    Arrival,
    Boarding,
    From,
    To,
    Venue,
    CheckIn,
    CheckOut,
}

use Role::{
    Arrival, Boarding, CheckIn, CheckOut, Class, Coach, Confirmation, Date, Departure, From, Gate, Number, Operator,
    Passenger, Platform, Seat, Terminal, TicketNumber, To, Venue,
};

/// The words of keys and labels, without anything but letters and digits. Each is a whole key or label.
const NAMES: [(Role, &str); 20] = [
    (
        Number,
        "flight flightnumber flightno flightnr flightnum flightcode flug flugnummer flugnr vol vuelo volo voo \
         vlucht train trainnumber trainno trainnum zug zugnummer zugnr tren treno trem bus busnumber linie \
         line trip tripnumber service servicenumber voyage sailing ferry transport connection verbindung",
    ),
    (Gate, "gate departuregate boardinggate gatenumber flugsteig puerta porte porta uscita"),
    (Terminal, "terminal departureterminal term terminalnumber"),
    (
        Seat,
        "seat seats seatnumber seatno seatnr sitz sitzplatz sitzplätze asiento siège siege place posto lugar \
         assento stoel zitplaats platz plätze",
    ),
    (Coach, "coach coachnumber carriage car carnumber wagon wagen wagennummer voiture coche carrozza rijtuig"),
    (Platform, "platform departureplatform track gleis voie binario via vía andén spoor bay stop bussteig stance"),
    (
        Passenger,
        "passenger passengername passengers pax paxname passagier fahrgast reisender reisende passager \
         voyageur pasajero passeggero passageiro name fullname nameofpassenger traveler traveller \
         travelername travellername guest guestname gast ticketholder holder holdername attendee attendeename \
         nombre nom nome participant cardholder",
    ),
    (
        Confirmation,
        "confirmation confirmationnumber confirmationcode confirmationno confirmationid pnr pnrcode \
         recordlocator recloc locator bookingref bookingreference bookingcode bookingnumber bookingno \
         bookingid booking reservation reservationnumber reservationcode reference referencenumber ref \
         buchungscode buchungsnummer buchungsreferenz buchung auftragsnummer auftrag reservierungsnummer \
         dossier numérodedossier codigodereserva códigodereserva localizador codiceprenotazione \
         boekingsnummer boekingscode order ordernumber orderno orderid ordercode bestellnummer",
    ),
    (
        TicketNumber,
        "ticketnumber ticketno ticketnr ticketid ticketcode eticket eticketnumber eticketno etkt etktnumber \
         documentnumber billet billete biglietto ticketnummer",
    ),
    (
        Class,
        "class cabin cabinclass bookingclass travelclass seatclass serviceclass compartment fareclass klasse \
         wagenklasse classe clase comfortclass",
    ),
    (Operator, "operatingcarrier operatedby operator carrier airline betreiber operador"),
    (
        Date,
        "date flightdate departuredate dateofdeparture dateofflight datum fecha data day traveldate tripdate \
         eventdate reisedatum startdate depdate datetime dateandtime when wann",
    ),
    (
        Departure,
        "departuretime departtime depart departs departure departing deptime std etd scheduleddeparture \
         timeofdeparture abflug abflugzeit abfahrt abfahrtszeit salida horasalida départ heuredépart partenza \
         partida vertrek starttime start time uhrzeit eventtime showtime beginn startsat hour hora heure ora \
         pickup departuredatetime",
    ),
    (
        Arrival,
        "arrivaltime arrivetime arrives arrive arrival arriving arrtime sta eta scheduledarrival ankunft \
         ankunftszeit llegada arrivée arrivo chegada aankomst endtime end ende dropoff arrivaldatetime",
    ),
    (
        Boarding,
        "boarding boardingtime boards board boardingat einsteigen einstieg boardingzeit embarque horaembarque \
         embarquement imbarco instappen gatecloses gateclosing",
    ),
    (
        From,
        "from origin depart departure departurestation departureairport source start von de da van dep \
         startstation",
    ),
    (To, "to destination arrival arrivalstation arrivalairport ziel nach à a naar arr dest endstation"),
    (
        Venue,
        "venue venuename location loc ort veranstaltungsort lieu lugar luogo place address adresse dirección \
         where wo theater theatre cinema kino stadium hall saal",
    ),
    (CheckIn, "checkin checkindate checkintime arrivaldate anreise llegada arrivée"),
    (CheckOut, "checkout checkoutdate checkouttime departuredate abreise salida départ"),
];

/// The keys and labels of fields of a role.
pub(super) fn names(role: Role) -> impl Iterator<Item = &'static str> {
    NAMES.iter().filter(move |(named, _)| *named == role).flat_map(|(_, names)| names.split_ascii_whitespace())
}

/// Whether words are a key or a label of a role.
pub(super) fn is(role: Role, words: &str) -> bool {
    names(role).any(|name| name == words)
}

/// A key or a label in lower case, without anything but letters and digits, and without the ending that templates put to
/// the keys of their texts (`gate_label`, `gateHeading`).
pub(super) fn words(text: &str) -> String {
    let words: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(60).collect();
    let ends = ["heading", "label", "title", "value", "field", "str", "1"];
    let end = ends.iter().find_map(|end| words.strip_suffix(end).filter(|rest| !rest.is_empty()));
    end.map_or(words.clone(), str::to_owned)
}

/// Whether a label says what a field is, and not what it contains: `FROM`, `departsHeading`, `origin_label`.
pub(super) fn is_heading(label: &str) -> bool {
    let words = words(label);
    let is_template = label.contains('_') || (!label.contains(' ') && label.to_lowercase().ends_with("heading"));
    words.is_empty()
        || is_template
        || NAMES.iter().any(|(_, names)| names.split_ascii_whitespace().any(|name| name == words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        for label in ["FROM", "departsHeading", "gate_str", "", "Departure", "Nach:"] {
            assert!(is_heading(label), "{label}");
        }
        for label in ["Lisbon", "MONTREAL", "London Heathrow", "Berlin - Tegel"] {
            assert!(!is_heading(label), "{label}");
        }
    }
}
