//! Codes of currencies, countries, time zones and airports.

use std::str::FromStr;

use iso_currency::Flag;

use super::text::checked_text;

checked_text!(
    /// An ISO 4217 code of a currency in use, such as `EUR`. Case-sensitive.
    Currency,
    |text| {
        // The library lists withdrawn currencies too, and flags both codes of the bolívar as withdrawn.
        let is_gone = |flag: &Flag| matches!(flag, Flag::Superseded(_)) && text != "VES";
        let current = |currency: &iso_currency::Currency| !currency.flags().iter().any(is_gone);
        match iso_currency::Currency::from_code(text).filter(current) {
            Some(_) => Ok(()),
            None => Err("must be an ISO 4217 currency code, such as EUR".to_owned()),
        }
    },
    format: None,
    pattern: Some("^[A-Z]{3}$"),
    max: None
);

checked_text!(
    /// An ISO 3166-1 alpha-2 country code, such as `PT`, or `XK` for Kosovo. Case-sensitive.
    CountryCode,
    |text| {
        let upper = text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase());
        if upper && (text == "XK" || iso_currency::Country::from_str(text).is_ok()) {
            Ok(())
        } else {
            Err("must be an ISO 3166-1 alpha-2 country code, such as PT".to_owned())
        }
    },
    format: None,
    pattern: Some("^[A-Z]{2}$"),
    max: None
);

checked_text!(
    /// A name in the IANA time zone database, such as `Europe/Lisbon`; aliases are accepted. Case-sensitive.
    TimeZone,
    |text| {
        // The library ignores case, and has a zone for unknown names.
        let zone = jiff::tz::db().get(text).ok().filter(|_| text != "Etc/Unknown");
        if zone.is_some_and(|zone| zone.iana_name() == Some(text)) {
            return Ok(());
        }
        Err("must be an IANA time zone, such as Europe/Lisbon".to_owned())
    },
    format: None,
    pattern: None,
    max: Some(64)
);

checked_text!(
    /// A three-letter IATA airport code, such as `LIS`; letters of either case.
    AirportCode,
    |text| {
        if text.len() == 3 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
            Ok(())
        } else {
            Err("must be a three-letter airport code, such as LIS".to_owned())
        }
    },
    format: None,
    pattern: Some("^[A-Za-z]{3}$"),
    max: None
);
