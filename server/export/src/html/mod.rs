//! An itinerary as HTML: the article of its page, and a document of its own that prints well on A4.
//!
//! Has no scripts, and loads nothing but the cover. Every text from the itinerary is escaped and isolated from the
//! direction of the text around it.

mod days;
mod maps;
mod money;
mod travel;

use askama::Template;
use itinerary_api::types::Itinerary;

use crate::words::{count, dates};
use days::Day;
use money::{Expenses, Packing};
use travel::{Flight, Hotel};

/// The style sheet of [`article`]. Uses the colours of the page that it is in.
pub const STYLE: &str = include_str!("../../templates/trip.css");

/// The style sheet of [`document`] besides [`STYLE`].
const PAGE: &str = include_str!("../../templates/document.css");

/// The longest description of a page, in characters. Programs that show it cut it further.
const DESCRIPTION: usize = 300;

/// With more days than this, there is no row of links to them, and no map of each.
const DAYS: usize = 40;

#[derive(Template)]
#[template(path = "trip.html")]
struct Article<'a> {
    title: &'a str,
    place: &'a str,
    dates: String,
    facts: String,
    author: &'a str,
    summary: Vec<&'a str>,
    tags: Vec<&'a str>,
    cover: Option<&'a str>,
    cover_source: Option<&'a str>,
    overview: Option<[String; 2]>,
    has_links: bool,
    flights: Vec<Flight<'a>>,
    journey: Option<String>,
    hotels: Vec<Hotel<'a>>,
    days: Vec<Day<'a>>,
    expenses: Option<Expenses<'a>>,
    packing: Option<Packing<'a>>,
}

#[derive(Template)]
#[template(path = "document.html")]
struct Document<'a> {
    title: String,
    description: String,
    styles: [&'static str; 2],
    article: Article<'a>,
}

impl<'a> Article<'a> {
    fn of(itinerary: &'a Itinerary, cover: Option<&'a str>) -> Self {
        let days = days::all(itinerary);
        let mut facts = Vec::new();
        if !days.is_empty() {
            facts.push(count(days.len(), "day", "days"));
        }
        let travellers = usize::try_from(itinerary.travellers.get()).unwrap_or(1);
        facts.push(count(travellers, "traveller", "travellers"));
        let summary = itinerary.summary.as_deref().unwrap_or_default();
        let flights = itinerary.flights.as_deref().unwrap_or_default();
        let image = itinerary.cover_image.as_ref().filter(|_| cover.is_some());
        Self {
            title: &itinerary.title,
            place: &itinerary.destination.name,
            dates: dates(itinerary.start_date.day(), itinerary.days.len() as u64),
            facts: facts.join(" · "),
            author: &itinerary.author.display_name,
            summary: summary.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
            tags: itinerary.tags.iter().map(|tag| &**tag).collect(),
            cover,
            cover_source: image.and_then(|image| image.source.as_deref()).filter(|source| *source != "generated"),
            overview: maps::overview(itinerary),
            has_links: (2..=DAYS).contains(&days.len()),
            journey: maps::journey(flights),
            flights: flights.iter().map(Flight::of).collect(),
            hotels: itinerary.hotels.iter().flat_map(|hotels| hotels.iter()).map(Hotel::of).collect(),
            days,
            expenses: Expenses::of(itinerary),
            packing: Packing::of(itinerary),
        }
    }
}

/// The itinerary as an article for a page that has [`STYLE`] and a style sheet with the service's colours. `cover` is
/// the address of its cover image, if the page shows it.
pub fn article(itinerary: &Itinerary, cover: Option<&str>) -> String {
    Article::of(itinerary, cover).render().expect("templates are rendered to memory")
}

/// The itinerary as a document of its own, with its style sheet in it.
pub fn document(itinerary: &Itinerary) -> String {
    let cover = itinerary.cover_image.as_ref().map(|image| &*image.url);
    let document = Document {
        title: plain(&itinerary.title),
        description: description(itinerary),
        styles: [PAGE, STYLE],
        article: Article::of(itinerary, cover),
    };
    document.render().expect("templates are rendered to memory")
}

/// A sentence or two about the itinerary, for programs that show links.
pub fn description(itinerary: &Itinerary) -> String {
    let summary = itinerary.summary.as_deref().unwrap_or_default();
    let summary = plain(summary);
    let text = if summary.is_empty() {
        let dates = dates(itinerary.start_date.day(), itinerary.days.len() as u64);
        format!("{}, {dates}. By {}.", plain(&itinerary.destination.name), plain(&itinerary.author.display_name))
    } else {
        summary
    };
    match text.char_indices().nth(DESCRIPTION) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// A text in one line without characters that change the direction of what follows. For places where it cannot be
/// isolated, such as a window's title.
pub fn plain(text: &str) -> String {
    let is_turning = |it: char| matches!(it, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let text: String = text.chars().filter(|it| !is_turning(*it)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}


#[cfg(test)]
mod tests;
