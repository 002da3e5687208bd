//! Zone, country and currency of a destination's coordinate. Each case is named after its difficulty.

use itinerary_tests::bodies::to;
use itinerary_tests::{Database, Postgres, Sqlite, World};
use rstest::rstest;

use super::{HIGH_SEA, create};

/// Zone, country and currency; `-` for none.
type Facts = [&'static str; 3];

#[rstest]
#[case::kathmandu_is_three_quarters_of_an_hour_off((27.7172, 85.324), ["Asia/Kathmandu", "NP", "NPR"])]
#[case::the_chatham_islands_are_not_on_new_zealands_time((-43.9535, -176.5597), ["Pacific/Chatham", "NZ", "NZD"])]
#[case::lord_howe_has_half_an_hour_of_summer_time((-31.527, 159.068), ["Australia/Lord_Howe", "AU", "AUD"])]
#[case::kiritimati_is_fourteen_hours_ahead((1.8721, -157.4278), ["Pacific/Kiritimati", "KI", "AUD"])]
#[case::apia_is_west_of_the_date_line_since_2011((-13.8333, -171.7667), ["Pacific/Apia", "WS", "WST"])]
#[case::pago_pago_is_east_of_the_date_line((-14.2756, -170.702), ["Pacific/Pago_Pago", "AS", "USD"])]
#[case::eucla_keeps_a_time_of_its_own((-31.677, 128.889), ["Australia/Eucla", "AU", "AUD"])]
#[case::st_johns_is_half_an_hour_off((47.5615, -52.7126), ["America/St_Johns", "CA", "CAD"])]
#[case::pristina_is_in_a_country_that_iso_does_not_list((42.6629, 21.1655), ["Europe/Belgrade", "XK", "EUR"])]
#[case::buesingen_is_german_inside_switzerland((47.6969, 8.6889), ["Europe/Busingen", "DE", "EUR"])]
#[case::ceuta_is_spain_in_africa((35.8894, -5.3213), ["Africa/Ceuta", "ES", "EUR"])]
#[case::las_palmas_is_an_hour_behind_spain((28.1235, -15.4363), ["Atlantic/Canary", "ES", "EUR"])]
#[case::the_vatican_is_inside_a_city((41.9029, 12.4534), ["Europe/Vatican", "VA", "EUR"])]
#[case::hong_kong_is_not_chinas_currency((22.3193, 114.1694), ["Asia/Hong_Kong", "HK", "HKD"])]
#[case::macau_is_not_hong_kong((22.1987, 113.5439), ["Asia/Macau", "MO", "MOP"])]
#[case::san_juan_is_on_the_dollar((18.4655, -66.1057), ["America/Puerto_Rico", "PR", "USD"])]
#[case::nuuk_is_on_the_danish_krone((64.1814, -51.6941), ["America/Nuuk", "GL", "DKK"])]
#[case::sofia_is_on_the_euro_since_2026((42.6977, 23.3219), ["Europe/Sofia", "BG", "EUR"])]
#[case::zagreb_is_on_the_euro_since_2023((45.815, 15.9819), ["Europe/Zagreb", "HR", "EUR"])]
#[case::willemstad_is_on_the_caribbean_guilder_since_2025((12.1091, -68.9316), ["America/Curacao", "CW", "XCG"])]
#[case::harare_is_on_zimbabwe_gold_since_2024((-17.8292, 31.0522), ["Africa/Harare", "ZW", "ZWG"])]
#[case::freetown_is_on_the_leone_of_2022((8.4844, -13.2344), ["Africa/Freetown", "SL", "SLE"])]
#[case::caracas_is_on_the_bolivar_that_banks_use((10.4806, -66.9036), ["America/Caracas", "VE", "VES"])]
#[case::san_salvador_is_on_the_dollar((13.6929, -89.2182), ["America/El_Salvador", "SV", "USD"])]
#[case::zurich_pays_in_francs_not_in_a_fund((47.3769, 8.5417), ["Europe/Zurich", "CH", "CHF"])]
#[case::longyearbyen_is_norwegian((78.2232, 15.6267), ["Arctic/Longyearbyen", "SJ", "NOK"])]
#[case::grytviken_has_more_seals_than_people((-54.2811, -36.5092), ["Atlantic/South_Georgia", "GS", "GBP"])]
#[case::mcmurdo_has_no_currency((-77.846, 166.676), ["Antarctica/McMurdo", "AQ", "-"])]
#[case::the_south_pole_has_every_longitude((-90.0, 0.0), ["Antarctica/McMurdo", "AQ", "-"])]
#[case::taveuni_at_180_degrees_east((-16.85, 180.0), ["Pacific/Fiji", "FJ", "FJD"])]
#[case::taveuni_at_180_degrees_west((-16.85, -180.0), ["Pacific/Fiji", "FJ", "FJD"])]
#[case::attu_is_american_beyond_180_degrees((52.9, 172.9), ["America/Adak", "US", "USD"])]
#[case::the_north_pole_is_at_sea((90.0, 0.0), ["-", "-", "-"])]
#[case::the_high_sea_has_nothing(HIGH_SEA, ["-", "-", "-"])]
#[case::null_island_is_at_sea((0.0, 0.0), ["-", "-", "-"])]
#[tokio::test(flavor = "multi_thread")]
async fn a_destination_is_told(
    #[values(Sqlite, Postgres)] database: Database,
    #[case] (latitude, longitude): (f64, f64),
    #[case] facts: Facts,
) {
    let Some(world) = World::start(database).await else { return };
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
