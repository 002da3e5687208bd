//! The title of a trip that nobody has named: `Lisbon, 15–21 May`.

use chrono::{Datelike, NaiveDate};

/// A place with the days of the trip: months where they differ, the year of the end where it differs.
pub(super) fn title(place: &str, first: NaiveDate, last: NaiveDate) -> String {
    format!("{place}, {}", days(first, last))
}

fn days(first: NaiveDate, last: NaiveDate) -> String {
    if first == last {
        return first.format("%-d %B").to_string();
    }
    if first.year() != last.year() {
        return format!("{} – {}", first.format("%-d %B"), last.format("%-d %B %Y"));
    }
    if first.month() != last.month() {
        return format!("{} – {}", first.format("%-d %B"), last.format("%-d %B"));
    }
    format!("{}–{}", first.format("%-d"), last.format("%-d %B"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        let of = |first: &str, last: &str| title("Lisbon", first.parse().unwrap(), last.parse().unwrap());
        assert_eq!(of("2027-05-15", "2027-05-21"), "Lisbon, 15–21 May");
        assert_eq!(of("2027-05-15", "2027-05-15"), "Lisbon, 15 May");
        assert_eq!(of("2027-05-28", "2027-06-03"), "Lisbon, 28 May – 3 June");
        assert_eq!(of("2027-12-28", "2028-01-03"), "Lisbon, 28 December – 3 January 2028");
    }
}
