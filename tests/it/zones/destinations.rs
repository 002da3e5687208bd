//! Zone, country and currency of a destination's coordinate. Each case is named after its difficulty.

use itinerary_tests::bodies::to;
use itinerary_tests::{World, api_test};

use super::{HIGH_SEA, create};

/// Zone, country and currency; `-` for none.
type Facts = [&'static str; 3];

/// Each case begins with its name.
const DESTINATIONS: &[(&str, (f64, f64), Facts)] = &[
    ("kathmandu is three quarters of an hour off", (27.7172, 85.324), ["Asia/Kathmandu", "NP", "NPR"]),
    ("the chatham islands are not on new zealands time", (-43.9535, -176.5597), ["Pacific/Chatham", "NZ", "NZD"]),
    ("lord howe has half an hour of summer time", (-31.527, 159.068), ["Australia/Lord_Howe", "AU", "AUD"]),
    ("kiritimati is fourteen hours ahead", (1.8721, -157.4278), ["Pacific/Kiritimati", "KI", "AUD"]),
    ("apia is west of the date line since 2011", (-13.8333, -171.7667), ["Pacific/Apia", "WS", "WST"]),
    ("pago pago is east of the date line", (-14.2756, -170.702), ["Pacific/Pago_Pago", "AS", "USD"]),
    ("eucla keeps a time of its own", (-31.677, 128.889), ["Australia/Eucla", "AU", "AUD"]),
    ("st johns is half an hour off", (47.5615, -52.7126), ["America/St_Johns", "CA", "CAD"]),
    ("pristina is in a country that iso does not list", (42.6629, 21.1655), ["Europe/Belgrade", "XK", "EUR"]),
    ("buesingen is german inside switzerland", (47.6969, 8.6889), ["Europe/Busingen", "DE", "EUR"]),
    ("ceuta is spain in africa", (35.8894, -5.3213), ["Africa/Ceuta", "ES", "EUR"]),
    ("las palmas is an hour behind spain", (28.1235, -15.4363), ["Atlantic/Canary", "ES", "EUR"]),
    ("the vatican is inside a city", (41.9029, 12.4534), ["Europe/Vatican", "VA", "EUR"]),
    ("hong kong is not chinas currency", (22.3193, 114.1694), ["Asia/Hong_Kong", "HK", "HKD"]),
    ("macau is not hong kong", (22.1987, 113.5439), ["Asia/Macau", "MO", "MOP"]),
    ("san juan is on the dollar", (18.4655, -66.1057), ["America/Puerto_Rico", "PR", "USD"]),
    ("nuuk is on the danish krone", (64.1814, -51.6941), ["America/Nuuk", "GL", "DKK"]),
    ("sofia is on the euro since 2026", (42.6977, 23.3219), ["Europe/Sofia", "BG", "EUR"]),
    ("zagreb is on the euro since 2023", (45.815, 15.9819), ["Europe/Zagreb", "HR", "EUR"]),
    ("willemstad is on the caribbean guilder since 2025", (12.1091, -68.9316), ["America/Curacao", "CW", "XCG"]),
    ("harare is on zimbabwe gold since 2024", (-17.8292, 31.0522), ["Africa/Harare", "ZW", "ZWG"]),
    ("freetown is on the leone of 2022", (8.4844, -13.2344), ["Africa/Freetown", "SL", "SLE"]),
    ("caracas is on the bolivar that banks use", (10.4806, -66.9036), ["America/Caracas", "VE", "VES"]),
    ("san salvador is on the dollar", (13.6929, -89.2182), ["America/El_Salvador", "SV", "USD"]),
    ("zurich pays in francs not in a fund", (47.3769, 8.5417), ["Europe/Zurich", "CH", "CHF"]),
    ("longyearbyen is norwegian", (78.2232, 15.6267), ["Arctic/Longyearbyen", "SJ", "NOK"]),
    ("grytviken has more seals than people", (-54.2811, -36.5092), ["Atlantic/South_Georgia", "GS", "GBP"]),
    ("mcmurdo has no currency", (-77.846, 166.676), ["Antarctica/McMurdo", "AQ", "-"]),
    ("the south pole has every longitude", (-90.0, 0.0), ["Antarctica/McMurdo", "AQ", "-"]),
    ("taveuni at 180 degrees east", (-16.85, 180.0), ["Pacific/Fiji", "FJ", "FJD"]),
    ("taveuni at 180 degrees west", (-16.85, -180.0), ["Pacific/Fiji", "FJ", "FJD"]),
    ("attu is american beyond 180 degrees", (52.9, 172.9), ["America/Adak", "US", "USD"]),
    ("the north pole is at sea", (90.0, 0.0), ["-", "-", "-"]),
    ("the high sea has nothing", HIGH_SEA, ["-", "-", "-"]),
    ("null island is at sea", (0.0, 0.0), ["-", "-", "-"]),
];

#[api_test(limits = false)]
async fn a_destination_is_told(world: World) {
    for &(case, (latitude, longitude), facts) in DESTINATIONS {
        println!("{case}");
        let client = world.client("ana").await;
        let made = create(&client, to("Here", latitude, longitude)).await.expect("created");
        let told = [&made.destination.time_zone, &made.destination.country_code, &made.currency];
        assert_eq!(told.map(|fact| fact.as_deref().unwrap_or("-")), facts);
        let attention = made.needs_attention.expect("the answer to a write has it");
        for (field, fact) in [("destination.timeZone", facts[0]), ("destination.countryCode", facts[1])] {
            let is_listed = attention.iter().any(|entry| entry.field == field && entry.code.to_string() == "notFilled");
            assert_eq!(is_listed, fact == "-", "{field}: {attention:?}");
        }
        assert!(!attention.iter().any(|entry| entry.field == "currency"), "{attention:?}");
    }
}
