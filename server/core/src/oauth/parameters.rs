//! The parameters of an OAuth request, from a query or a form.
//!
//! An empty value counts as absent. A repeated parameter is an error. Unknown parameters are ignored, even if repeated.
//! The caller decodes them.

use itinerary_api::oauth_error::OAuthError;

/// The decoded parameters of one request, as pairs of name and value.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a>(&'a [(String, String)]);

impl<'a> Parameters<'a> {
    pub fn new(pairs: &'a [(String, String)]) -> Self {
        Self(pairs)
    }

    /// The parameter's value, or `None` if it is absent or empty.
    pub fn get(&self, name: &'static str) -> Result<Option<&'a str>, OAuthError> {
        let mut values = self.values(name);
        match (values.next(), values.next()) {
            (first, None) => Ok(first.filter(|value| !value.is_empty())),
            _ => Err(OAuthError::invalid_request(&format!("{name} must not be repeated"))),
        }
    }

    /// The parameter's value, which must be present.
    pub fn required(&self, name: &'static str) -> Result<&'a str, OAuthError> {
        self.get(name)?.ok_or_else(|| OAuthError::invalid_request(&format!("{name} is missing")))
    }

    /// All values of a parameter that may be repeated, including empty ones.
    pub fn values(&self, name: &'static str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn empty_is_absent_and_repeated_is_refused() {
        let pairs = pairs(&[("a", "1"), ("b", ""), ("c", "1"), ("c", "1"), ("d", ""), ("d", "")]);
        let parameters = Parameters::new(&pairs);
        assert_eq!(parameters.get("a"), Ok(Some("1")));
        assert_eq!(parameters.get("b"), Ok(None));
        assert_eq!(parameters.get("x"), Ok(None));
        assert_eq!(parameters.required("b").expect_err("empty").description, "b is missing");
        for name in ["c", "d"] {
            assert_eq!(parameters.get(name).expect_err("repeated").error.as_str(), "invalid_request");
        }
    }

    #[test]
    fn names_are_compared_exactly() {
        let pairs = pairs(&[("State", "1"), ("state", "2")]);
        assert_eq!(Parameters::new(&pairs).get("state"), Ok(Some("2")));
    }
}
