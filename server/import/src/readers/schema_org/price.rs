//! Amounts of money.

use super::node::Node;
use crate::booking::Price;

/// The price of a reservation: `totalPrice` or `price` with `priceCurrency`, as numbers, texts or `PriceSpecification`.
pub(super) fn price(reservation: Node) -> Option<Price> {
    let value = reservation.any(&["totalPrice", "price"])?;
    let (text, inner) = match value.text() {
        Some(text) => (text, None),
        None => (value.text_of(&["price", "value"])?, value.text_of(&["priceCurrency", "currency"])),
    };
    let currency = inner.or_else(|| reservation.text_of(&["priceCurrency", "currency"]));
    let known = currency.as_deref().and_then(currency_code).or_else(|| currency_in(&text));
    Some(Price { amount: amount(&text)?, currency: known.or(currency).unwrap_or_else(|| sign_in(&text)) })
}

fn currency_code(text: &str) -> Option<String> {
    let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_code { Some(text.to_ascii_uppercase()) } else { currency_in(text) }
}

/// The currency that an amount such as `EUR 12.50` or `12,50 €` names. `$` is the currency of many countries.
fn currency_in(text: &str) -> Option<String> {
    let symbol = [('€', "EUR"), ('£', "GBP"), ('₹', "INR"), ('₺', "TRY"), ('₩', "KRW")];
    if let Some((_, code)) = symbol.iter().find(|(symbol, _)| text.contains(*symbol)) {
        return Some((*code).to_owned());
    }
    let mut words = text.split(|character: char| !character.is_ascii_alphabetic());
    words.find(|word| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase())).map(str::to_owned)
}

/// What a text has besides its number: the sign of a currency that several countries use, or nothing.
fn sign_in(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_ascii_digit() && !matches!(character, '.' | ',' | ' '))
        .take(10)
        .collect()
}

/// The number in a text, with a point before the decimals. A separator that occurs once with one or two digits behind it
/// is the decimal one, as is the last of two kinds; others group thousands.
fn amount(text: &str) -> Option<String> {
    let start = text.find(|character: char| character.is_ascii_digit())?;
    // A refund is no expense.
    if text[..start].contains(['-', '−']) {
        return None;
    }
    let is_part =
        |character: char| character.is_ascii_digit() || matches!(character, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}');
    let number: String = text[start..].chars().take_while(|character| is_part(*character)).collect();
    let number = number.trim_end_matches(|character: char| !character.is_ascii_digit());
    let last = number.rfind(['.', ',']);
    let decimals = last.filter(|at| {
        let separator = &number[*at..=*at];
        let has_other = number[..*at].contains(if separator == "." { ',' } else { '.' });
        let digits = number.len() - at - 1;
        number.matches(separator).count() == 1 && (has_other || digits != 3 || number[..*at] == *"0")
    });
    let (whole, fraction) = match decimals {
        Some(at) => (&number[..at], &number[at + 1..]),
        None => (number, ""),
    };
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    if whole.is_empty() || whole.len() > 12 || fraction.len() > 6 {
        return None;
    }
    Some(if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::node::Graph;
    use super::*;

    fn read(value: Value) -> Option<(String, String)> {
        let values = [value];
        let graph = Graph::new(&values);
        price(graph.node(&values[0])).map(|price| (price.amount, price.currency))
    }

    #[test]
    fn prices_have_many_forms() {
        for (value, amount, currency) in [
            (json!({"totalPrice": 129.5, "priceCurrency": "EUR"}), "129.5", "EUR"),
            (json!({"totalPrice": "129.50", "priceCurrency": "eur"}), "129.50", "EUR"),
            (json!({"price": "1.234,50 €"}), "1234.50", "EUR"),
            (json!({"price": "1,234.50", "priceCurrency": "USD"}), "1234.50", "USD"),
            (json!({"price": "CHF 1'200.-"}), "1200", "CHF"),
            (json!({"price": "12 000", "priceCurrency": "JPY"}), "12000", "JPY"),
            (json!({"price": "1.200", "priceCurrency": "EUR"}), "1200", "EUR"),
            (json!({"price": "£85"}), "85", "GBP"),
            (
                json!({"totalPrice": {"@type": "PriceSpecification", "price": "20.00", "priceCurrency": "PLN"}}),
                "20.00",
                "PLN",
            ),
        ] {
            assert_eq!(read(value.clone()), Some((amount.to_owned(), currency.to_owned())), "{value}");
        }
    }

    #[test]
    fn a_sign_of_several_currencies_stays_a_sign() {
        for (value, amount, sign) in [
            (json!({"price": "$85"}), "85", "$"),
            (json!({"price": "¥12,000"}), "12000", "¥"),
            (json!({"price": 85}), "85", ""),
            (json!({"price": 85, "priceCurrency": "kr."}), "85", "kr."),
        ] {
            assert_eq!(read(value.clone()), Some((amount.to_owned(), sign.to_owned())), "{value}");
        }
    }

    #[test]
    fn refunds_and_words_are_no_price() {
        assert_eq!(read(json!({"price": "free", "priceCurrency": "EUR"})), None);
        for refund in [json!(-50), json!("-50"), json!("−50.00"), json!("-€ 50"), json!("EUR -50")] {
            assert_eq!(read(json!({"price": refund, "priceCurrency": "EUR"})), None, "{refund}");
        }
        assert_eq!(read(json!({})), None);
    }
}
