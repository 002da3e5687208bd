//! Amounts of money.

use itinerary_api::values::{Amount, Currency};

use crate::booking::Price;

/// The amount and the currency of a price. `None` if the currency is unknown or the amount none that the API holds.
pub(super) fn price(price: &Price) -> Option<(Amount, Currency)> {
    Some((amount(&price.amount)?, currency(&price.currency)?))
}

/// An amount with at most three decimals; further ones are cut off.
fn amount(text: &str) -> Option<Amount> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '\'' | '\u{a0}')).collect();
    let (units, decimals) = match text.rfind(['.', ',']) {
        // Three digits after a comma, or after a mark that is there twice, are thousands.
        Some(at) if !is_thousands(&text, at) => (&text[..at], &text[at + 1..]),
        _ => (text.as_str(), ""),
    };
    let units: String = units.chars().filter(|c| !matches!(c, '.' | ',')).collect();
    let decimals: String = decimals.chars().take(3).collect();
    let all = format!("{units}{decimals:0<3}");
    let is_number = !units.is_empty() && all.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { all.parse().ok().and_then(Amount::from_thousandths) } else { None }
}

fn is_thousands(text: &str, at: usize) -> bool {
    let mark = &text[at..=at];
    text.len() - at == 4 && (mark == "," || text.matches(mark).count() > 1)
}

fn currency(text: &str) -> Option<Currency> {
    let code = match text.trim() {
        "€" => "EUR".to_owned(),
        "£" => "GBP".to_owned(),
        "US$" => "USD".to_owned(),
        "zł" => "PLN".to_owned(),
        "₹" => "INR".to_owned(),
        code => code.to_uppercase(),
    };
    Currency::new(code).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices() {
        for (amount, currency, thousandths) in [
            ("129.50", "EUR", 129_500),
            ("129,5", "€", 129_500),
            ("1,234.5", "usd", 1_234_500),
            ("1.234,50", "EUR", 1_234_500),
            ("1,200", "JPY", 1_200_000),
            ("1.234.567", "EUR", 1_234_567_000),
            ("12.345", "KWD", 12_345),
            ("12.34567", "KWD", 12_345),
            ("0", "EUR", 0),
        ] {
            let price = price(&Price { amount: amount.to_owned(), currency: currency.to_owned() });
            assert_eq!(price.expect(amount).0.thousandths(), thousandths, "{amount}");
        }
        for (amount, currency) in
            [("", "EUR"), ("-1", "EUR"), ("1e9", "EUR"), ("12", "XYZ"), ("12", ""), ("9999999999999999999999", "EUR")]
        {
            assert_eq!(price(&Price { amount: amount.to_owned(), currency: currency.to_owned() }), None, "{amount}");
        }
    }
}
