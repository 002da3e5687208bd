//! For bookings of any values: the order of the files does not matter, importing again changes nothing, and nothing panics.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use itinerary_api::types::{ImportState, ItineraryDraft};
use itinerary_import::booking::{
    Booking, Call, Category, Code, CodeContent, CodeFormat, Kind, Mode, Organisation, Price, Spot, Ticket, Time,
    Waypoint,
};
use itinerary_import::file::{Format, Found, Outline, OutlineDay};
use itinerary_import::{Context, Reading, Source, draft, into_trip};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::places::Places;
use super::trips::{assert_rules, stored};

/// Few values, so that bookings often agree in some fields, and hostile ones.
fn text(values: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    option::of(prop_oneof![
        8 => select(values).prop_map(str::to_owned),
        1 => "\\PC{0,20}",
        1 => Just(format!("{}\u{0}\n\u{7f}", "long ".repeat(600))),
    ])
}

fn day() -> impl Strategy<Value = NaiveDate> {
    prop_oneof![
        20 => (0_u64..4).prop_map(|days| NaiveDate::from_ymd_opt(2027, 3, 27).unwrap() + chrono::Days::new(days)),
        1 => select(vec![NaiveDate::MIN, NaiveDate::MAX, NaiveDate::from_ymd_opt(1899, 12, 31).unwrap(), NaiveDate::from_ymd_opt(2200, 12, 31).unwrap()]),
    ]
}

fn time() -> impl Strategy<Value = Time> {
    let local = || {
        (day(), 0_u32..4)
            .prop_map(|(day, hour)| NaiveDateTime::new(day, chrono::NaiveTime::from_hms_opt(hour * 7, 30, 0).unwrap()))
    };
    prop_oneof![
        (local(), select(vec![0, 60, -300, 840, 100_000])).prop_map(|(local, offset)| Time::Offset(local, offset)),
        (local(), select(vec!["Europe/Lisbon", "America/New_York", "Nowhere"]))
            .prop_map(|(local, zone)| Time::Zone(local, zone.to_owned())),
        local().prop_map(Time::Local),
        day().prop_map(Time::Day),
    ]
}

fn spot() -> impl Strategy<Value = Spot> {
    (
        text(&["Lisboa Oriente", "LIS", "Café Zola"]),
        text(&["LIS", "ams", "uic:7183011"]),
        text(&["Rua 1"]),
        text(&["Lisbon", "Sintra"]),
        text(&["PT", "Netherlands"]),
        option::of(select(vec![(38.7, -9.1), (52.3, 4.9), (99.0, f64::NAN), (0.0, 0.0)])),
    )
        .prop_map(|(name, code, address, city, country, coordinate)| Spot {
            name,
            code,
            address,
            city,
            country,
            coordinate,
        })
}

fn call() -> impl Strategy<Value = Call> {
    (spot(), option::of(time()), text(&["3"]), text(&["1"]), text(&["B12"]))
        .prop_map(|(place, time, platform, terminal, gate)| Call { place, time, platform, terminal, gate })
}

fn ticket() -> impl Strategy<Value = Ticket> {
    let content = prop_oneof![
        select(vec!["M1REIS/ANA", " x ", "", "a\u{1d}b"]).prop_map(|text| CodeContent::Text(text.to_owned())),
        vec(any::<u8>(), 0..4).prop_map(CodeContent::Bytes),
        Just(CodeContent::Text("long".repeat(2_000))),
    ];
    let code = (option::of(Just(CodeFormat::Qr)), content).prop_map(|(format, content)| Code { format, content });
    (
        text(&["Ana Reis", "REIS/ANA MRS", "Rui Reis", "R"]),
        text(&["12A", "12B"]),
        text(&["5"]),
        text(&["047-1"]),
        option::of(code),
    )
        .prop_map(|(holder, seat_number, coach_number, ticket_number, code)| Ticket {
            holder,
            seat_number,
            coach_number,
            ticket_number,
            code,
        })
}

fn booking() -> impl Strategy<Value = Booking> {
    let kind = select(vec![
        Kind::Flight,
        Kind::Hotel,
        Kind::Transport(Mode::Train),
        Kind::Transport(Mode::Car),
        Kind::Transport(Mode::Other),
        Kind::Reservation(Category::Restaurant),
        Kind::Reservation(Category::Event),
    ]);
    let first = (kind, prop::bool::weighted(0.1), option::of(0_i64..3), text(&["Zola", "zola", "Exemplo"]));
    let second = (text(&["TP", "CP"]), text(&["TAP"]), text(&["TP1363", "1363", "IC 523", "523"]), call(), call());
    let third = (
        text(&["Economy", "2nd"]),
        text(&["A1", "B2"]),
        text(&["Agency"]),
        text(&["https://example.com/b", "ftp://x"]),
    );
    let last =
        (text(&["+351 1"]), option::of(0_u32..2_000), text(&["A note.", "Another."]), vec(ticket(), 0..3), price());
    (first, second, third, last).prop_map(
        |(
            (kind, cancelled, modified, name),
            (code, operator, number, start, end),
            (travel_class, confirmation_number, provider, booking_url),
            (phone_number, party_size, notes, tickets, price),
        )| Booking {
            kind,
            cancelled,
            modified: modified.and_then(|days| DateTime::<Utc>::from_timestamp(1_800_000_000 + days * 86_400, 0)),
            name,
            operator: Organisation { code, name: operator },
            number,
            start,
            end,
            travel_class,
            confirmation_number,
            provider,
            booking_url,
            phone_number,
            party_size,
            notes,
            tickets,
            price,
            unread_times: Vec::new(),
        },
    )
}

fn price() -> impl Strategy<Value = Option<Price>> {
    let price = (select(vec!["12", "12.3456", "-1", "1,5", "x"]), select(vec!["EUR", "€", "ZZZ"]));
    option::of(price.prop_map(|(amount, currency)| Price { amount: amount.to_owned(), currency: currency.to_owned() }))
}

fn waypoint() -> impl Strategy<Value = Waypoint> {
    (spot(), text(&["A note."]), option::of(time()), vec(select(vec!["Sights", "Food", "Day 2", "Day 999"]), 0..2))
        .prop_map(|(place, notes, time, folder)| Waypoint {
            place,
            notes,
            time,
            folder: folder.into_iter().map(str::to_owned).collect(),
        })
}

fn outline() -> impl Strategy<Value = Outline> {
    (text(&["A trip"]), option::of(spot()), option::of(day()), option::of(day()), day(), text(&["A day"])).prop_map(
        |(title, destination, start, end, date, day)| Outline {
            title,
            summary: None,
            destination,
            start,
            end,
            days: vec![OutlineDay { date, title: day.clone(), notes: day }],
        },
    )
}

fn sources() -> impl Strategy<Value = Vec<Source>> {
    let found = (vec(booking(), 0..4), vec(waypoint(), 0..3), option::weighted(0.2, outline()), option::of(0_i64..3));
    let source = (select(vec!["a", "b"]), found).prop_map(|(file, (bookings, waypoints, trip, written))| {
        let written = written.and_then(|days| DateTime::<Utc>::from_timestamp(1_800_000_000 + days * 86_400, 0));
        let found =
            Found { items: Vec::new(), bookings, waypoints, trip, itinerary: None, written, ignored: Vec::new() };
        Source { file: file.to_owned(), reading: Reading { found: vec![(Format::JsonLd, found)], ignored: Vec::new() } }
    });
    vec(source, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_files_does_not_matter((sources, shuffled) in sources().prop_flat_map(|sources| (Just(sources.clone()), Just(sources).prop_shuffle()))) {
        let places = Places::new();
        let context = Context { lookup: &places, is_pro: true };
        let import = draft(&sources, context);
        prop_assert_eq!(&import, &draft(&shuffled, context));
        let trip = stored(None, &draft(&sources[..1], context).itinerary);
        prop_assert_eq!(into_trip(&sources, context, &trip, true), into_trip(&shuffled, context, &trip, true));
    }

    #[test]
    fn importing_again_changes_nothing(sources in sources()) {
        let places = Places::new();
        let context = Context { lookup: &places, is_pro: true };
        let trip = stored(None, &draft(&sources, context).itinerary);
        assert_rules(&trip);
        let again = into_trip(&sources, context, &trip, false);
        prop_assert_eq!(&again.itinerary, &ItineraryDraft::default(), "{:#?}", again.items);
        for item in &again.items {
            prop_assert_eq!(item.state, ImportState::Unchanged);
        }
    }

    #[test]
    fn importing_into_another_trip_twice_changes_nothing(first in sources(), second in sources()) {
        let places = Places::new();
        let context = Context { lookup: &places, is_pro: true };
        let trip = stored(None, &draft(&first, context).itinerary);
        let merged = stored(Some(&trip), &into_trip(&second, context, &trip, false).itinerary);
        assert_rules(&merged);
        assert_rules(&stored(Some(&trip), &into_trip(&second, context, &trip, true).itinerary));
        let again = into_trip(&second, context, &merged, false);
        prop_assert_eq!(&again.itinerary, &ItineraryDraft::default(), "{:#?}", again.items);
    }
}
