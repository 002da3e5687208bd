//! Country, time zone and currency of a coordinate, from data that is compiled in.

use std::sync::LazyLock;

use country_boundaries::{BOUNDARIES_ODBL_360X180, CountryBoundaries, LatLon};
use itinerary_api::types::Coordinate;
use itinerary_api::values::{CountryCode, Currency, TimeZone};
use itinerary_core::fill::PlaceFacts;

// Loaded lazily, because it takes time and memory that not every server needs.
static COUNTRIES: LazyLock<CountryBoundaries> = LazyLock::new(|| {
    CountryBoundaries::from_reader(BOUNDARIES_ODBL_360X180).expect("the boundaries in the program are whole")
});
static ZONES: LazyLock<tzf_rs::EmbeddedFinder> = LazyLock::new(tzf_rs::EmbeddedFinder::new);

/// Antarctica in ISO 3166 is everything south of this latitude, in degrees. The boundaries do not contain it.
const ANTARCTICA: f64 = -60.0;

/// The country and time zone at a coordinate. At sea there is neither.
pub fn facts(coordinate: &Coordinate) -> PlaceFacts {
    let (latitude, longitude) = (coordinate.latitude.get(), coordinate.longitude.get());
    let position = LatLon::new(latitude, longitude).ok();
    let country = position.and_then(|position| {
        // Most specific first, such as US-TX before US.
        COUNTRIES.ids(position).into_iter().find_map(|id| CountryCode::new(id).ok())
    });
    let time_zone = time_zone(coordinate);
    let is_antarctica = country.is_none() && time_zone.is_some() && latitude <= ANTARCTICA;
    let country = if is_antarctica { CountryCode::new("AQ").ok() } else { country };
    PlaceFacts { country, time_zone }
}

/// The time zone at a coordinate. At sea there is none.
pub fn time_zone(coordinate: &Coordinate) -> Option<TimeZone> {
    let zone = ZONES.get_tz_name(coordinate.longitude.get(), coordinate.latitude.get());
    Some(zone).filter(|zone| !zone.starts_with("Etc/")).and_then(|zone| TimeZone::new(zone).ok())
}

/// The state at a coordinate in ISO 3166-2, such as `US-OR`, for countries whose states the boundaries have.
pub fn state(coordinate: &Coordinate) -> Option<String> {
    let position = LatLon::new(coordinate.latitude.get(), coordinate.longitude.get()).ok()?;
    COUNTRIES.ids(position).into_iter().find(|id| id.contains('-')).map(str::to_owned)
}

/// The currency in use in a country: its own, where another one is legal tender too.
pub fn currency_of(country: &CountryCode) -> Option<Currency> {
    // Exceptions for which the list has no currency, one that is not in use, several, or no such country.
    let used = match &**country {
        "BB" => Some("BBD"),
        "BM" => Some("BMD"),
        "BT" => Some("BTN"),
        "GS" => Some("GBP"),
        "HT" => Some("HTG"),
        "IO" | "SV" => Some("USD"),
        "KH" => Some("KHR"),
        "LS" => Some("LSL"),
        // The list has only the rand.
        "NA" => Some("NAD"),
        "PA" => Some("PAB"),
        "VE" => Some("VES"),
        "XK" => Some("EUR"),
        _ => None,
    };
    if let Some(code) = used {
        return Currency::new(code).ok();
    }
    let country = country.parse().ok()?;
    let currencies = iso_currency::Currency::from_country(country);
    let currency = currencies.into_iter().find(|currency| currency.flags().is_empty())?;
    Currency::new(currency.code()).ok()
}

#[cfg(test)]
mod tests {
    use itinerary_api::values::{Latitude, Longitude};

    use super::*;

    fn at(latitude: f64, longitude: f64) -> (Option<String>, Option<String>, Option<String>) {
        let coordinate = Coordinate {
            latitude: Latitude::new(latitude).expect("in range"),
            longitude: Longitude::new(longitude).expect("in range"),
        };
        let facts = facts(&coordinate);
        let currency = facts.country.as_ref().and_then(currency_of).map(|currency| currency.to_string());
        (facts.country.map(|country| country.to_string()), facts.time_zone.map(|zone| zone.to_string()), currency)
    }

    #[test]
    fn coordinates_tell_country_zone_and_currency() {
        for (latitude, longitude, country, zone, currency) in [
            (38.7139, -9.1394, "PT", "Europe/Lisbon", "EUR"),
            (35.6812, 139.7671, "JP", "Asia/Tokyo", "JPY"),
            (40.7128, -74.006, "US", "America/New_York", "USD"),
            (13.6929, -89.2182, "SV", "America/El_Salvador", "USD"),
            (42.6629, 21.1655, "XK", "Europe/Belgrade", "EUR"),
            (-33.8568, 151.2153, "AU", "Australia/Sydney", "AUD"),
            (46.948, 7.4474, "CH", "Europe/Zurich", "CHF"),
        ] {
            let found = at(latitude, longitude);
            assert_eq!(found, (Some(country.into()), Some(zone.into()), Some(currency.into())));
        }
    }

    /// Countries and their currencies, compared in November 2026 with the territories of the Unicode CLDR (Python
    /// package babel 2.19.0), which puts the rand first in Lesotho and Namibia, the rupee in Bhutan and the dollar in
    /// Zimbabwe.
    const CURRENCIES: [&str; 2] = [
        "AE:AED AF:AFN AL:ALL AM:AMD AO:AOA AR:ARS AW:AWG AZ:AZN BA:BAM BB:BBD BD:BDT BH:BHD BI:BIF BM:BMD BN:BND \
         BO:BOB BR:BRL BS:BSD BT:BTN BW:BWP BY:BYN BZ:BZD CA:CAD CD:CDF CL:CLP CN:CNY CO:COP CR:CRC CU:CUP CV:CVE \
         CZ:CZK DJ:DJF DO:DOP DZ:DZD EG:EGP ER:ERN ET:ETB FJ:FJD FK:FKP GE:GEL GH:GHS GI:GIP GM:GMD GN:GNF GT:GTQ \
         GY:GYD HK:HKD HN:HNL HT:HTG HU:HUF ID:IDR IN:INR IQ:IQD IR:IRR IS:ISK JM:JMD JO:JOD JP:JPY KE:KES KG:KGS \
         KH:KHR KM:KMF KP:KPW KR:KRW KW:KWD KY:KYD KZ:KZT LA:LAK LB:LBP LK:LKR LR:LRD LS:LSL LY:LYD MD:MDL MG:MGA \
         MK:MKD MM:MMK MN:MNT MO:MOP MR:MRU MU:MUR MV:MVR MW:MWK MX:MXN MY:MYR MZ:MZN NA:NAD NG:NGN NI:NIO NP:NPR \
         OM:OMR PA:PAB PE:PEN PG:PGK PH:PHP PK:PKR PL:PLN PY:PYG QA:QAR RO:RON RS:RSD RU:RUB RW:RWF SA:SAR SB:SBD \
         SC:SCR SD:SDG SE:SEK SG:SGD SH:SHP SL:SLE SO:SOS SR:SRD SS:SSP ST:STN SY:SYP SZ:SZL TH:THB TJ:TJS TM:TMT \
         TN:TND TO:TOP TR:TRY TT:TTD TW:TWD TZ:TZS UA:UAH UG:UGX UY:UYU UZ:UZS VE:VES VN:VND VU:VUV WS:WST YE:YER \
         ZA:ZAR ZM:ZMW ZW:ZWG",
        "AD,AT,AX,BE,BG,BL,CY,DE,EE,ES,FI,FR,GF,GP,GR,HR,IE,IT,LT,LU,LV,MC,ME,MF,MQ,MT,NL,PM,PT,RE,SI,SK,SM,TF,VA,XK,YT:EUR \
         AG,AI,DM,GD,KN,LC,MS,VC:XCD AS,BQ,EC,FM,GU,IO,MH,MP,PR,PW,SV,TC,TL,UM,US,VG,VI:USD AU,CC,CX,HM,KI,NF,NR,TV:AUD \
         BF,BJ,CI,GW,ML,NE,SN,TG:XOF BV,NO,SJ:NOK CF,CG,CM,GA,GQ,TD:XAF CH,LI:CHF CK,NU,NZ,PN,TK:NZD CW,SX:XCG \
         DK,FO,GL:DKK EH,MA:MAD GB,GG,GS,IM,JE:GBP IL,PS:ILS NC,PF,WF:XPF",
    ];

    #[test]
    fn every_country_has_its_own_currency() {
        let mut number = 0;
        for (countries, currency) in
            CURRENCIES.iter().flat_map(|list| list.split(' ')).filter_map(|row| row.split_once(':'))
        {
            for country in countries.split(',') {
                number += 1;
                let found = CountryCode::new(country).ok().as_ref().and_then(currency_of);
                assert_eq!(found.map(|found| found.to_string()).as_deref(), Some(currency), "{country}");
            }
        }
        assert_eq!(number, 249, "all of ISO 3166-1 but Antarctica, and Kosovo");
    }

    #[test]
    fn the_high_sea_has_neither() {
        let (country, zone, currency) = at(-40.0, -120.0);
        assert_eq!((country, zone, currency), (None, None, None));
    }
}
