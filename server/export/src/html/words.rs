//! Dates, counts and amounts, as people read them.

use chrono::{Datelike, Days, NaiveDate};
use itinerary_api::values::Amount;
use serde::Serialize;

/// The dates of a trip of this many days, which state a common month and year once.
pub fn dates(first: NaiveDate, days: u64) -> String {
    let last = first.checked_add_days(Days::new(days.saturating_sub(1))).unwrap_or(first);
    let begin = match last {
        last if last == first => return last.format("%-d %B %Y").to_string(),
        last if (last.year(), last.month()) == (first.year(), first.month()) => first.format("%-d"),
        last if last.year() == first.year() => first.format("%-d %B"),
        _ => first.format("%-d %B %Y"),
    };
    format!("{begin} – {}", last.format("%-d %B %Y"))
}

/// A number with its noun, in the plural if it is not one.
pub(crate) fn count(number: usize, one: &str, more: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {more}", grouped(number as u64)) }
}

/// A whole number with a comma before each three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An amount with as many decimals as it needs: none, two or three.
pub(crate) fn thousandths(amount: u128) -> String {
    let units = grouped(u64::try_from(amount / 1000).unwrap_or(u64::MAX));
    match amount % 1000 {
        0 => units,
        rest if rest % 10 == 0 => format!("{units}.{:02}", rest / 10),
        rest => format!("{units}.{rest:03}"),
    }
}

/// An amount of money in a currency.
pub(crate) fn money(amount: Amount, currency: &str) -> String {
    format!("{} {currency}", thousandths(amount.thousandths().into())).trim_end().to_owned()
}

/// A value of a list, such as a category, in words: `premiumEconomy` is "Premium economy".
pub(crate) fn value(value: impl Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    let mut words = String::new();
    for (at, character) in json.as_str().unwrap_or_default().char_indices() {
        match character {
            first if at == 0 => words.extend(first.to_uppercase()),
            upper if upper.is_uppercase() => {
                words.push(' ');
                words.extend(upper.to_lowercase());
            }
            other => words.push(other),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use itinerary_api::types::CabinClass;

    use super::*;

    #[test]
    fn dates_say_once_what_they_share() {
        let from = |date: &str, days| dates(date.parse().expect("a date"), days);
        assert_eq!(from("2027-05-10", 0), "10 May 2027");
        assert_eq!(from("2027-05-10", 1), "10 May 2027");
        assert_eq!(from("2027-05-10", 5), "10 – 14 May 2027");
        assert_eq!(from("2027-05-30", 4), "30 May – 2 June 2027");
        assert_eq!(from("2027-12-30", 4), "30 December 2027 – 2 January 2028");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0, 12_000, 12_500, 12_345, 1_234_567_000].map(thousandths),
            ["0", "12", "12.50", "12.345", "1,234,567"]
        );
        assert_eq!(value(CabinClass::PremiumEconomy), "Premium economy");
        assert_eq!(count(1, "day", "days"), "1 day");
        assert_eq!(count(1_200, "stop", "stops"), "1,200 stops");
    }
}
