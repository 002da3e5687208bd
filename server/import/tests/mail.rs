//! Mails, from their bytes to bookings.

use base64::Engine;
use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use itinerary_import::booking::{Code, CodeContent, CodeFormat, Kind, Mode, Time};
use itinerary_import::file::{File, Format, Reason};
use itinerary_import::readers::mail;
use itinerary_import::{Booking, Budget, Reading, read};

fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn read_bytes(content: &[u8]) -> Reading {
    let file = File { name: "mail.eml", media_type: None, content };
    read(&file, NaiveDate::default(), &mut Budget::new(&|| false))
}

fn bookings(reading: &Reading) -> Vec<&Booking> {
    reading.found.iter().flat_map(|(_, found)| &found.bookings).collect()
}

fn reasons(reading: &Reading) -> Vec<Reason> {
    reading.ignored.iter().map(|ignored| ignored.reason).collect()
}

#[expect(clippy::unnecessary_wraps, reason = "compared with optional fields")]
fn utc(text: &str) -> Option<DateTime<Utc>> {
    Some(text.parse().unwrap())
}

#[test]
fn airline_mail_in_quoted_printable_and_latin_1() {
    let reading = read_bytes(&sample("mail/airline.eml"));
    assert_eq!(reading.ignored, []);
    let (format, found) = &reading.found[0];
    assert_eq!((*format, found.written), (Format::Html, utc("2027-01-01T09:15:00Z")));
    let flight = &found.bookings[0];
    assert_eq!((flight.kind, flight.number.as_deref()), (Kind::Flight, Some("1234")));
    assert_eq!(flight.tickets[0].holder.as_deref(), Some("Ada Köhler"));
    let departure = NaiveDateTime::parse_from_str("2027-05-15T09:40", "%Y-%m-%dT%H:%M").unwrap();
    assert_eq!(flight.start.time, Some(Time::Offset(departure, 120)));
}

#[test]
fn attached_json_in_base64_and_what_is_not_read() {
    let reading = read_bytes(&sample("mail/railway.eml"));
    let found = bookings(&reading);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].number.as_deref()), (Kind::Transport(Mode::Train), Some("RE 77")));
    assert_eq!(found[0].tickets[0].holder.as_deref(), Some("Zoë Łuk"));
    let code = Code { format: Some(CodeFormat::Qr), content: CodeContent::Text("TR4INS-77".to_owned()) };
    assert_eq!(found[0].tickets[0].code, Some(code));
    assert_eq!(reasons(&reading), [Reason::NotRecognised]);
    assert!(reading.ignored[0].message.contains("bilet.pdf"), "pictures are not reported");
}

#[test]
fn forwarded_mails_keep_their_own_dates() {
    let reading = read_bytes(&sample("mail/forwarded.eml"));
    let dates: Vec<_> = reading.found.iter().map(|(_, found)| found.written).collect();
    assert_eq!(dates, [utc("2027-01-01T09:15:00Z"), utc("2027-01-04T18:00:00Z")]);
    assert_eq!(bookings(&reading).len(), 2);
}

#[test]
fn broken_mail_without_a_charset() {
    let reading = read_bytes(&sample("mail/hotel-broken.eml"));
    let found = bookings(&reading);
    assert_eq!(found.len(), 1, "{reading:?}");
    assert_eq!(found[0].name.as_deref(), Some("Hôtel Elster"));
    assert_eq!(found[0].start.place.address.as_deref(), Some("Rue du Marché 1, 1204 Genève"));
}

#[test]
fn encrypted_mails_are_unsupported() {
    assert!(reasons(&read_bytes(&sample("mail/encrypted.eml"))).contains(&Reason::Unsupported));
    let smime = b"From: a@b.example\r\nDate: Tue, 5 Jan 2027 12:00:00 +0000\r\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n\r\nMIA";
    assert_eq!(reasons(&read_bytes(smime)), [Reason::Unsupported]);
    let inline = b"From: a@b.example\nSubject: x\n\n-----BEGIN PGP MESSAGE-----\n\nhQ";
    assert_eq!(reasons(&read_bytes(inline)), [Reason::Unsupported]);
}

#[test]
fn mail_without_bookings_is_not_recognised() {
    let mail = b"From: a@b.example\nSubject: Hello\nDate: Tue, 5 Jan 2027 12:00:00 +0000\n\nSee you in Lisbon!\n";
    let reading = read_bytes(mail);
    assert_eq!((reading.found.len(), reasons(&reading)), (0, vec![Reason::NotRecognised]));
}

#[test]
fn headers_and_parts_are_decoded() {
    let mail = mail::read(&sample("mail/railway.eml")).unwrap().unwrap();
    assert_eq!((mail.subject.as_deref(), mail.written), (Some("Bilet"), utc("2027-01-04T18:00:00Z")));
    let parts: Vec<_> = mail.parts.iter().map(|part| (part.name.as_str(), part.media_type.as_str())).collect();
    let expected = [
        ("", "text/plain; charset=utf-8"),
        ("biletł.json", "application/octet-stream"),
        ("bilet.pdf", "application/pdf"),
        ("logo.png", "image/png"),
    ];
    assert_eq!(parts, expected);
    assert_eq!(String::from_utf8_lossy(&mail.parts[0].content).trim(), "Bilet w załączniku.");
    let airline = mail::read(&sample("mail/airline.eml")).unwrap().unwrap();
    assert_eq!(airline.subject.as_deref(), Some("Ihre Buchung QX7PLM bestätigt"));
    let mailbox = [b"From x@y.example Tue Jan  5 12:00:00 2027\n".as_slice(), b"Subject: A\n\nText"].concat();
    assert_eq!(mail::read(&mailbox).unwrap().unwrap().subject.as_deref(), Some("A"));
    assert_eq!(mail::read(b"").unwrap(), None);
}

/// A mail in `depth` mails, around the airline's.
fn nested(depth: usize, encode: bool) -> Vec<u8> {
    let mut mail = sample("mail/airline.eml");
    for level in 0..depth {
        let (content, encoding) = if encode {
            (base64::engine::general_purpose::STANDARD.encode(&mail).into_bytes(), "base64")
        } else {
            (mail, "8bit")
        };
        let head = format!(
            "From: a@b.example\nDate: Tue, 5 Jan 2027 12:00:00 +0000\nContent-Type: multipart/mixed; boundary=n{level}x\n\n--n{level}x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: {encoding}\n\n"
        );
        mail = [head.as_bytes(), &content, format!("\n--n{level}x--\n").as_bytes()].concat();
    }
    mail
}

#[test]
fn mails_are_read_five_deep() {
    for encode in [false, true] {
        assert_eq!(bookings(&read_bytes(&nested(4, encode))).len(), 1);
        let reading = read_bytes(&nested(5, encode));
        assert_eq!((bookings(&reading).len(), reasons(&reading)), (0, vec![Reason::TooLarge]));
    }
}

#[test]
fn digests_have_mails_without_a_type() {
    let airline = sample("mail/airline.eml");
    let head = b"From: a@b.example\nSubject: Digest\nContent-Type: multipart/digest; boundary=digest\n\n--digest\n\n"
        .as_slice();
    let mail = [head, &airline, b"\n--digest--\n"].concat();
    assert_eq!(bookings(&read_bytes(&mail)).len(), 1);
}

#[test]
fn hostile_mails_end_soon() {
    let head = b"From: a@b.example\nSubject: x\nMIME-Version: 1.0\n".to_vec();
    let repeated = |part: &str, count: usize| [head.clone(), part.repeat(count).into_bytes()].concat();
    let deep = repeated("Content-Type: message/rfc822\n\n", 100_000);
    let encoded =
        base64::engine::general_purpose::STANDARD.encode(repeated("Content-Type: message (x)/rfc822\n\n", 50_000));
    for mail in [
        deep,
        repeated("Content-Type:message\n /(;)rfc822\n\n", 100_000),
        [
            head.clone(),
            b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n".to_vec(),
            encoded.into_bytes(),
        ]
        .concat(),
        repeated("Content-Type: multipart/mixed; boundary=a\n\n--a\n", 50_000),
        repeated("Content-Type: multipart/digest; boundary=a\n\n--a\n", 2_000),
        [repeated("Content-Type: multipart/mixed; boundary=a\n\n", 1), "--a\n\n\n".repeat(60_000).into_bytes()]
            .concat(),
        repeated("Content-Type: multipart/mixed; boundary=a\n\n--aCon tent-Type: message/rfc822\n\n", 500),
        repeated("X: y\n", 500_000),
        [head.clone(), b"Con tent-Type: a/b".to_vec(), b";a*=a'b'c".repeat(100_000)].concat(),
        repeated("Content-Type: a/b;\n", 100_000),
    ] {
        let reading = read_bytes(&mail);
        assert_eq!(bookings(&reading).len(), 0);
        assert!(!reading.ignored.is_empty());
    }
}
