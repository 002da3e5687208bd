//! Values as JSON, including their limits: shortest and longest texts, characters that need escapes, doubles that are
//! hard to write.

use itinerary_api::values::limits;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;
use serde::Serialize;
use serde_json::Value;

fn json<S: Strategy + 'static>(strategy: S) -> BoxedStrategy<Value>
where
    S::Value: Serialize,
{
    strategy.prop_map(|value| serde_json::to_value(value).expect("plain data")).boxed()
}

/// A character that texts may contain.
pub(crate) fn character() -> impl Strategy<Value = char> {
    let hard =
        "aZ0 é\u{df}\u{301}\"\\/`.[{:\n\t\u{ad}\u{2028}\u{feff}\u{d7ff}\u{e000}\u{fffe}\u{ffff}\u{1f600}\u{10ffff}";
    prop_oneof![
        4 => select(hard.chars().collect::<Vec<_>>()),
        1 => any::<char>().prop_map(|c| if c.is_control() { '\n' } else { c }),
    ]
}

pub(crate) fn exactly(length: usize) -> impl Strategy<Value = String> {
    vec(character(), 1..4).prop_map(move |some| some.into_iter().cycle().take(length).collect())
}

/// A text of `min` to `max` characters: usually short, sometimes of minimum or maximum length.
pub(crate) fn text(min: usize, max: usize) -> impl Strategy<Value = String> {
    prop_oneof![
        40 => vec(character(), min..=max.min(8)).prop_map(String::from_iter),
        2 => exactly(min),
        1 => exactly(max),
    ]
}

/// One of these words.
fn word(words: &'static str) -> BoxedStrategy<Value> {
    json(select(words.split_whitespace().collect::<Vec<_>>()))
}

pub(crate) fn title() -> BoxedStrategy<Value> {
    json(text(1, limits::TITLE))
}

pub(crate) fn summary() -> BoxedStrategy<Value> {
    json(text(0, limits::SUMMARY))
}

pub(crate) fn name() -> BoxedStrategy<Value> {
    json(text(1, limits::NAME))
}

pub(crate) fn label() -> BoxedStrategy<Value> {
    json(text(1, limits::LABEL))
}

pub(crate) fn confirmation_number() -> BoxedStrategy<Value> {
    json(text(1, 50))
}

pub(crate) fn notes() -> BoxedStrategy<Value> {
    json(text(0, 2_000))
}

pub(crate) fn address() -> BoxedStrategy<Value> {
    json(text(0, limits::ADDRESS))
}

pub(crate) fn place_id() -> BoxedStrategy<Value> {
    json(text(1, limits::PLACE_ID))
}

pub(crate) fn airline_code() -> BoxedStrategy<Value> {
    json(text(1, 10))
}

/// Text from the server, which is not checked.
pub(crate) fn any_text() -> BoxedStrategy<Value> {
    json(text(0, 20))
}

pub(crate) fn tags() -> BoxedStrategy<Value> {
    let tag = || text(1, limits::TAG);
    prop_oneof![20 => json(vec(tag(), 0..4)), 1 => json(vec(tag(), limits::TAGS))].boxed()
}

/// A double within limits: the limits themselves, both zeros, the smallest, and some that need 17 digits.
fn double(min: f64, max: f64) -> BoxedStrategy<f64> {
    let hard = [min, max, 0.0, -0.0, 5e-324, f64::MIN_POSITIVE, 0.1 + 0.2, 1.0 / 3.0, 1e-7, max.next_down(), 2.0];
    let hard = hard.into_iter().filter(|number| (min..=max).contains(number)).collect::<Vec<_>>();
    prop_oneof![1 => select(hard), 2 => min..=max].boxed()
}

pub(crate) fn degrees_north() -> BoxedStrategy<f64> {
    double(-90.0, 90.0)
}

pub(crate) fn degrees_east() -> BoxedStrategy<f64> {
    double(-180.0, 180.0)
}

pub(crate) fn latitude() -> BoxedStrategy<Value> {
    prop_oneof![4 => json(degrees_north()), 1 => json(-90..=90)].boxed()
}

pub(crate) fn longitude() -> BoxedStrategy<Value> {
    prop_oneof![4 => json(degrees_east()), 1 => json(-180..=180)].boxed()
}

pub(crate) fn measure() -> BoxedStrategy<Value> {
    json(double(0.0, 1e9))
}

pub(crate) fn rating() -> BoxedStrategy<Value> {
    json(double(0.0, 5.0))
}

/// A whole number, sometimes written as a double.
fn whole(min: i32, max: i32) -> BoxedStrategy<Value> {
    let number = || prop_oneof![1 => Just(min), 1 => Just(max), 3 => min..=max];
    prop_oneof![4 => json(number()), 1 => json(number().prop_map(f64::from))].boxed()
}

pub(crate) fn travellers() -> BoxedStrategy<Value> {
    whole(1, 100)
}

pub(crate) fn quantity() -> BoxedStrategy<Value> {
    whole(1, 999)
}

pub(crate) fn duration() -> BoxedStrategy<Value> {
    whole(0, 10_080)
}

pub(crate) fn review_count() -> BoxedStrategy<Value> {
    whole(0, 1_000_000_000)
}

pub(crate) fn count() -> BoxedStrategy<Value> {
    json(prop_oneof![Just(0), Just(i64::MAX), any::<i64>()])
}

pub(crate) fn file_size() -> BoxedStrategy<Value> {
    json(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()])
}

pub(crate) fn flag() -> BoxedStrategy<Value> {
    json(any::<bool>())
}

/// An amount in thousandths, within its limits.
pub(crate) fn thousandths() -> BoxedStrategy<u64> {
    const MOST: u64 = 999_999_999_999_999;
    prop_oneof![1 => select(vec![0, 1, 10, 100, 1000, MOST, MOST - 1]), 2 => 0..100_000u64, 2 => 0..=MOST].boxed()
}

/// An amount as a person writes it, without redundant zeros.
pub(crate) fn decimal(thousandths: u64) -> String {
    let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(crate) fn amount() -> BoxedStrategy<Value> {
    let parse = |text: String| serde_json::from_str::<Value>(&text).expect("a number");
    (thousandths(), any::<bool>())
        .prop_map(move |(number, short)| {
            parse(if short { decimal(number) } else { format!("{}.{:03}", number / 1000, number % 1000) })
        })
        .boxed()
}

pub(crate) fn date_text() -> BoxedStrategy<String> {
    let any_day = (1900..=2200, 1..=12, 1..=28).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"));
    let hard = ["1900-01-01", "2200-12-31", "2000-02-29", "2027-12-31"].map(str::to_owned).to_vec();
    prop_oneof![1 => select(hard), 3 => any_day].boxed()
}

pub(crate) fn date() -> BoxedStrategy<Value> {
    json(date_text())
}

/// A date-time with an offset as text, in every spelling of RFC 3339.
pub(crate) fn offset_time_text() -> BoxedStrategy<String> {
    let second = prop_oneof![9 => 0..60, 1 => Just(59)];
    let clock = (0..24, 0..60, second).prop_map(|(h, m, s)| format!("{h:02}:{m:02}:{s:02}"));
    let fraction = select(vec!["", ".0", ".5", ".120", ".123456789"]);
    let offset = select(vec!["Z", "z", "+00:00", "-00:00", "+01:00", "+05:45", "-12:00", "+14:00", "+23:59", "-23:59"]);
    let any_time = (date_text(), select(vec!['T', 't']), clock, fraction, offset)
        .prop_map(|(date, t, clock, fraction, offset)| format!("{date}{t}{clock}{fraction}{offset}"));
    let leap = Just("2016-12-31T23:59:60Z".to_owned());
    prop_oneof![20 => any_time, 1 => leap].boxed()
}

pub(crate) fn offset_time() -> BoxedStrategy<Value> {
    json(offset_time_text())
}

/// A timestamp from the server.
pub(crate) fn timestamp() -> BoxedStrategy<Value> {
    let clock = (0..24, 0..60, 0..60, 0..1000);
    json((date_text(), clock).prop_map(|(date, (h, m, s, ms))| format!("{date}T{h:02}:{m:02}:{s:02}.{ms:03}Z")))
}

pub(crate) fn local_time() -> BoxedStrategy<Value> {
    json((0..24, 0..60).prop_map(|(h, m)| format!("{h:02}:{m:02}")))
}

/// A few short ids that recur, and any others.
pub(crate) fn item_id() -> BoxedStrategy<Value> {
    prop_oneof![
        1 => word("a b c"),
        4 => json("[A-Za-z0-9_-]{1,12}"),
        1 => json("[A-Za-z0-9_-]{64}")
    ]
    .boxed()
}

pub(crate) fn uuid() -> BoxedStrategy<Value> {
    json(any::<u128>().prop_map(|number| uuid::Uuid::from_u128(number).to_string()))
}

pub(crate) fn web_url() -> BoxedStrategy<Value> {
    let hard = ["http://[::1]:8080/?q=%20#f", "https://xn--e1afmkfd.example", "HTTPS://\u{e9}.example/\u{1f600}\"\\"];
    let longest = "https://a.example/".chars().chain(std::iter::repeat('x')).take(limits::URL).collect();
    prop_oneof![
        2 => json(select(hard.map(str::to_owned).to_vec())),
        6 => json("https://[a-z]{1,8}\\.example/[a-z0-9/?=&é]{0,12}"),
        1 => json(Just::<String>(longest)),
    ]
    .boxed()
}

pub(crate) fn airport_code() -> BoxedStrategy<Value> {
    json("[A-Za-z]{3}")
}

pub(crate) fn country_code() -> BoxedStrategy<Value> {
    word("PT XK JP US GB AQ")
}

pub(crate) fn currency() -> BoxedStrategy<Value> {
    word("EUR JPY USD VES BHD XAU")
}

pub(crate) fn time_zone() -> BoxedStrategy<Value> {
    word("Europe/Lisbon UTC Asia/Tokyo America/Argentina/Buenos_Aires Asia/Calcutta Etc/GMT+12 EST5EDT")
}

pub(crate) fn stop_category() -> BoxedStrategy<Value> {
    word(
        "beach landmark museum park nature viewpoint hike restaurant cafe bar nightlife shopping market activity tour \
         entertainment sport wellness religious lodging transport airport station other",
    )
}

pub(crate) fn leg_mode() -> BoxedStrategy<Value> {
    word("walk bicycle drive taxi transit bus train ferry flight")
}

pub(crate) fn transport_mode() -> BoxedStrategy<Value> {
    word("train bus ferry car taxi transfer other")
}

pub(crate) fn cabin_class() -> BoxedStrategy<Value> {
    word("economy premiumEconomy business first")
}

pub(crate) fn expense_category() -> BoxedStrategy<Value> {
    word("activity lodging flight transport food shopping insurance visa communication other")
}

pub(crate) fn packing_category() -> BoxedStrategy<Value> {
    word("accessories clothing footwear toiletries health electronics documents gear food other")
}

pub(crate) fn document_category() -> BoxedStrategy<Value> {
    word("boardingPass ticket lodging passport visa insurance vaccination itinerary receipt other")
}

pub(crate) fn belongs_to_kind() -> BoxedStrategy<Value> {
    word("flight hotel transport reservation day stop itinerary")
}

pub(crate) fn visibility() -> BoxedStrategy<Value> {
    word("private followers unlisted public")
}

pub(crate) fn role() -> BoxedStrategy<Value> {
    word("owner editor viewer")
}

pub(crate) fn plan() -> BoxedStrategy<Value> {
    word("free pro")
}

pub(crate) fn attention_code() -> BoxedStrategy<Value> {
    word("notPlaced notFilled assumed")
}

pub(crate) fn scopes() -> BoxedStrategy<Value> {
    json(vec(text(0, 20), 0..3))
}
