//! Files made to be slow or large to read: reading ends soon after the time is up, whatever is in them.

use std::time::{Duration, Instant};

use chrono::NaiveDate;
use itinerary_import::budget::MAX_ITEMS;
use itinerary_import::{Budget, File, read};

/// Bytes of each file.
const SIZE: usize = 1_000_000;
/// What the probe allows, as the server does.
const ALLOWED: Duration = Duration::from_millis(500);
/// Far more than the time allowed, for slow machines, and far less than a quadratic algorithm takes.
const AT_MOST: Duration = Duration::from_mins(1);

const MAIL: &str = "From: a@b.example\nDate: Tue, 5 Jan 2027 12:00:00 +0000\nMIME-Version: 1.0\n";

/// A file with `part` over and over.
fn repeated(head: &str, part: &str) -> String {
    head.to_owned() + &part.repeat((SIZE - head.len()) / part.len())
}

/// A file whose parts are all different.
fn numbered(head: &str, part: fn(usize) -> String) -> String {
    let parts = (0..).map(part);
    let mut file = head.to_owned();
    for part in parts {
        if file.len() + part.len() > SIZE {
            break;
        }
        file.push_str(&part);
    }
    file
}

fn pages() -> Vec<(&'static str, String)> {
    let head = "<p itemscope>";
    vec![
        ("nested elements", repeated(head, "<div>")),
        ("attributes", numbered("<p itemscope ", |number| format!("a{number} "))),
        (
            "open formatting",
            numbered(head, |number| if number < 400 { format!("<b id={number}>") } else { "<p>x</p>".to_owned() }),
        ),
        ("formatting in blocks", numbered(head, |number| format!("<div><b id={number}></div>"))),
        ("nested tables", repeated(head, "<table>x")),
        ("misnested elements", repeated(head, "<a><b><i><p></a>")),
        ("entities", repeated(head, "&amp;x")),
        ("comments", repeated(head, "<!---->")),
        ("properties", repeated(head, "<i itemprop=x>abcdefghijklmnopqrstuvwxyz</i>")),
        ("properties in properties", repeated(&(head.to_owned() + &"<b itemprop=a>".repeat(400)), "xxxxxxxxx<br>")),
        ("scripts", repeated("", "<script type=application/ld+json>[{},{},{},{},{},{},{}]</script>")),
    ]
}

fn json() -> Vec<(&'static str, String)> {
    let reservation = r#"{"@type":"FlightReservation","reservationNumber":"A","reservationFor":["#;
    let things = r#"{"flightNumber":"1"},"#.repeat(10_000) + r#"0],"reservedTicket":["#;
    vec![
        ("objects", repeated("[", r#"{"a":0},"#)),
        ("faults", repeated("[", "{\"a\":\"\n\",}")),
        ("comments", repeated("[", "/*")),
        ("brackets", repeated("", "[")),
        ("events", repeated("[", r#"{"@type":"Event","name":"x","startDate":"2027-01-01"},"#)),
        ("legs and tickets", repeated(&(reservation.to_owned() + &things), r#"{"ticketNumber":"a"},"#)),
        ("keys", numbered(&(reservation.to_owned() + "{}]"), |number| format!(",\"k{number}\":0")) + "}"),
    ]
}

fn mails() -> Vec<(&'static str, String)> {
    let with = |header: &str| MAIL.to_owned() + header;
    let multipart = with("Content-Type: multipart/mixed; boundary=a\n\n");
    vec![
        ("parts", repeated(&multipart, "--a\n\n\n")),
        (
            "boundaries",
            numbered(&multipart, |number| format!("--a\nContent-Type: multipart/mixed; boundary=z{number}\n\n")),
        ),
        ("headers", repeated(MAIL, "a:b\n")),
        ("parameters", repeated(&with("Content-Type: a/b"), ";a=b")),
        ("languages of parameters", numbered(&with("Con tent-Type: a/b"), |number| format!(";a{number}*=a'b'c"))),
        ("parameters in parts", numbered(&with("Content-Disposition: a"), |number| format!(";a{number}*0=a"))),
        ("encoded words", repeated(&with("Subject: "), "=?utf-8?Q?a?= ")),
        ("nested mails", repeated(MAIL, "Content-Type: message/rfc822\n\n")),
        ("names of headers", repeated(&with("Content-Type: "), "content-type(:")),
        ("comments", repeated(&with("Content-Type: "), "(")),
    ]
}

#[test]
fn reading_ends_when_the_time_is_up() {
    let formats = [("text/html", pages()), ("application/ld+json", json()), ("message/rfc822", mails())];
    for (media_type, files) in formats {
        for (name, content) in files {
            let start = Instant::now();
            let should_stop = || start.elapsed() > ALLOWED;
            let file = File { name, media_type: Some(media_type), content: content.as_bytes() };
            let reading = read(&file, NaiveDate::default(), &mut Budget::new(&should_stop));
            assert!(start.elapsed() < AT_MOST, "{media_type}: {name}: {:?}", start.elapsed());
            let items: usize = reading.found.iter().map(|(_, found)| found.bookings.len()).sum();
            assert!(items <= MAX_ITEMS as usize, "{media_type}: {name}");
            assert!(!reading.found.is_empty() || !reading.ignored.is_empty(), "{media_type}: {name}");
        }
    }
}
