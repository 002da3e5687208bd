use chrono::NaiveDate;

use super::*;

const ONE_LEG: &str = "M1COSTA/ANA MARIA     EQ7RT2K LISAMSTP 0672 141Y012C0042 15D>6181WM6140BTP              2A0472401234567 1                          N";
const TWO_LEGS: &str = "M2COSTA/ANA           EQ7RT2K OPOLISTP 1933 365C003A0007 13B>60B1WM6364BTP 2A0472401234567 1TP                     1PCYQ7RT2K LISGRUTP 0087 001C011K0101 12F2A0470000000000 1TP                     2PCN*XY^108ABCDEFGH";

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

#[test]
fn fields_of_one_flight() {
    let pass = parse(ONE_LEG).unwrap();
    assert_eq!(pass.passenger, "COSTA/ANA MARIA");
    assert!(pass.is_electronic);
    assert_eq!(pass.issued, Some((6, 140)));
    let leg = &pass.legs[0];
    assert_eq!((leg.from.as_str(), leg.to.as_str()), ("LIS", "AMS"));
    assert_eq!((leg.carrier.as_deref(), leg.number.as_deref()), (Some("TP"), Some("672")));
    assert_eq!((leg.seat.as_deref(), leg.sequence.as_deref()), (Some("12C"), Some("42")));
    assert_eq!((leg.class.as_deref(), leg.status), (Some("Y"), Some('1')));
    assert_eq!(leg.record_locator.as_deref(), Some("Q7RT2K"));
    assert_eq!(leg.ticket_number.as_deref(), Some("047 2401234567"));
}

#[test]
fn each_flight_is_a_booking_with_the_whole_barcode() {
    let bookings = read_code(TWO_LEGS, Some(CodeFormat::Aztec), date("2027-01-01"));
    assert_eq!(bookings.len(), 2);
    assert_eq!(bookings[0].start.time, Some(Time::Day(date("2026-12-31"))));
    // The second flight is in the next year.
    assert_eq!(bookings[1].start.time, Some(Time::Day(date("2027-01-01"))));
    assert_eq!(bookings[1].number.as_deref(), Some("87"));
    assert_eq!(bookings[1].tickets[0].seat_number.as_deref(), Some("11K"));
    // A number of nothing but zeros is no ticket's.
    assert_eq!(bookings[1].tickets[0].ticket_number, None);
    for booking in &bookings {
        let code = booking.tickets[0].code.as_ref().unwrap();
        assert_eq!(code.format, Some(CodeFormat::Aztec));
        assert_eq!(code.content, CodeContent::Text(TWO_LEGS.to_owned()));
    }
}

#[test]
fn the_year_is_the_one_of_the_issue_or_the_nearest() {
    let pass = parse(ONE_LEG).unwrap();
    let day = |pass: &BoardingPass, as_of| pass.legs[0].day(pass.issue_date(as_of), as_of).unwrap();
    assert_eq!(day(&pass, date("2026-11-28")), date("2026-05-21"));
    assert_eq!(day(&pass, date("2029-01-01")), date("2026-05-21"));
    // Read on the day of the issue, in a zone whose clocks are behind.
    assert_eq!(day(&pass, date("2026-05-19")), date("2026-05-21"));
    let undated = parse("M1COSTA/ANA           EQ7RT2K LISAMSTP 0672 350").unwrap();
    assert_eq!(undated.issued, None);
    for (as_of, is) in [
        ("2026-11-28", "2026-12-16"),
        ("2027-01-20", "2026-12-16"),
        ("2027-09-01", "2027-12-16"),
        ("2024-12-01", "2024-12-15"),
    ] {
        assert_eq!(day(&undated, date(as_of)), date(is));
    }
    // The day 366 exists in leap years only.
    let leap = parse("M1COSTA/ANA           EQ7RT2K LISAMSTP 0672 366").unwrap();
    assert_eq!(day(&leap, date("2026-11-28")), date("2024-12-31"));
    assert_eq!(day(&leap, date("2027-06-01")), date("2028-12-31"));
}

#[test]
fn missing_blanks_and_wrong_sizes_are_tolerated() {
    let cut = parse(ONE_LEG.split_at(47).0).unwrap();
    assert_eq!((cut.legs[0].seat.as_deref(), cut.legs[0].day_of_year), (None, 141));
    // The size is larger than what follows, and no hexadecimal number.
    for size in ["FF>6", "ZZ>6", "01", "00>6181WM6140"] {
        let pass = parse(&format!("M1COSTA/ANA           EQ7RT2K LISAMSTP 0672 141Y012C0042 1{size}")).unwrap();
        assert_eq!(pass.legs[0].seat.as_deref(), Some("12C"), "{size}");
        assert_eq!(pass.issued, None, "{size}");
    }
    // The second flight is missing.
    assert_eq!(parse("M2COSTA/ANA           EQ7RT2K LISAMSTP 0672 141Y012C0042 100").unwrap().legs.len(), 1);
}

#[test]
fn other_texts_are_no_boarding_pass() {
    for text in [
        "",
        "M",
        "M1",
        "M5COSTA/ANA           EQ7RT2K LISAMSTP 0672 141Y012C0042 100",
        "m1costa/ana           eq7rt2k lisamstp 0672 141y012c0042 100",
        "M1 is the motorway from London to Leeds, and no flight leaves from it.",
        "M1COSTA/ANA           EQ7RT2K LISAMSTP 0672 000Y012C0042 100",
        "M1COSTA/ANA           EQ7RT2K LISAMSTP 0672 367Y012C0042 100",
        "M1COSTA/ANA           EQ7RT2K L1SAMSTP 0672 141Y012C0042 100",
        "https://example.com/M1COSTA",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn a_file_has_a_barcode_a_line() {
    let file = format!("\u{feff}{ONE_LEG}\r\n\r\nnotes\r\n{TWO_LEGS}\r\n");
    let read = |content: &[u8]| super::read(content, date("2027-01-01"), &mut Budget::new(&|| false));
    assert_eq!(read(file.as_bytes()).unwrap().bookings.len(), 3);
    assert_eq!(read(&[0xff, 0xfe, b'M', 0]).unwrap_err().reason, Reason::NotRecognised);
}

#[test]
fn a_barcode_adds_what_is_missing() {
    let ticket = || Ticket {
        code: Some(Code { format: None, content: CodeContent::Text(TWO_LEGS.to_owned()) }),
        ..Ticket::default()
    };
    let at = |code: &str| Call { place: Spot { code: Some(code.to_owned()), ..Spot::default() }, ..Call::default() };
    let mut booking = Booking {
        number: Some("TP 87".to_owned()),
        start: at("LIS"),
        confirmation_number: Some("OTHER1".to_owned()),
        tickets: vec![ticket()],
        ..Booking::new(Kind::Flight)
    };
    fill(&mut booking, date("2027-01-01"));
    assert_eq!(booking.number.as_deref(), Some("TP 87"));
    assert_eq!(booking.end.place.code.as_deref(), Some("GRU"));
    assert_eq!(booking.start.time, Some(Time::Day(date("2027-01-01"))));
    assert_eq!(booking.confirmation_number.as_deref(), Some("OTHER1"));
    assert_eq!(booking.tickets[0].seat_number.as_deref(), Some("11K"));
    // Another flight, and no flight.
    for other in [
        Booking { start: at("FRA"), tickets: vec![ticket()], ..Booking::new(Kind::Flight) },
        Booking { number: Some("88".to_owned()), tickets: vec![ticket()], ..Booking::new(Kind::Flight) },
        Booking { tickets: vec![ticket()], ..Booking::new(Kind::Hotel) },
    ] {
        let mut filled = other.clone();
        fill(&mut filled, date("2027-01-01"));
        assert_eq!(filled, other);
    }
}
