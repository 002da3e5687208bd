//! When an operation is deprecated and when it stops working, as response headers (RFC 9745, RFC 8594).

use chrono::{NaiveDate, NaiveTime};

/// The deprecation of an operation. Days begin at midnight UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// The first day on which it is deprecated; it may be in the future.
    pub since: NaiveDate,
    /// The first day on which a release may lack the operation; `None` as long as that is not decided.
    pub sunset: Option<NaiveDate>,
}

impl Deprecation {
    /// The value of the header `Deprecation`: a date of structured fields, such as `@1798761600`.
    pub fn header(&self) -> String {
        format!("@{}", self.since.and_time(NaiveTime::MIN).and_utc().timestamp())
    }

    /// The value of the header `Sunset`: a date of HTTP, such as `Thu, 01 Jul 2027 00:00:00 GMT`.
    pub fn sunset_header(&self) -> Option<String> {
        Some(self.sunset?.and_time(NaiveTime::MIN).format("%a, %d %b %Y %H:%M:%S GMT").to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_formats_of_their_headers() {
        let since = NaiveDate::from_ymd_opt(2027, 1, 1).expect("a date");
        let sunset = NaiveDate::from_ymd_opt(2027, 7, 1);
        let deprecation = Deprecation { since, sunset };
        assert_eq!(deprecation.header(), "@1798761600");
        assert_eq!(deprecation.sunset_header().as_deref(), Some("Thu, 01 Jul 2027 00:00:00 GMT"));
        assert_eq!(Deprecation { sunset: None, ..deprecation }.sunset_header(), None);
    }
}
