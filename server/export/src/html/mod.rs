//! An itinerary as HTML: the article of its page, and a document of its own that prints well on A4.
//!
//! Loads nothing but a cover that this service stores, and on a page the tiles of a street map if its [`Actions`] say so:
//! other sites would learn who reads it. Has no scripts; buttons that
//! need the page's script are hidden without it. Every text from the itinerary is escaped and isolated from the direction
//! of the text around it.

mod agenda;
mod bookings;
mod days;
mod links;
mod maps;
mod money;
mod streets;
mod travel;
mod words;

use askama::Template;
use itinerary_api::types::{Itinerary, Role, Visibility};

use crate::text;
use crate::today::Today;
use crate::trip::Trip;
use bookings::{ReservationView, TransportView};
use days::DayView;
use maps::TileBudget;
use money::{ExpensesView, PackingView};
use streets::StreetsLink;
use travel::{FlightView, HotelView};
use words::count;

pub use crate::map::StreetMap;
pub(crate) use days::city;
pub use streets::{STREETS_QUERY, Streets};
pub use words::dates;

/// The style sheet of [`article`]. Uses the colours of the page that it is in.
pub const STYLE: &str = include_str!("../../templates/trip.css");

/// The style sheet of [`document`] besides [`STYLE`].
const PAGE: &str = include_str!("../../templates/document.css");

/// The longest description of a page, in characters. Programs that show it cut it further.
const DESCRIPTION: usize = 300;

/// With more days than this, there is no row of links to them, and no map of each.
const DAYS: usize = 40;

/// The sources of images for which nobody else is to be named.
const OURS: [&str; 2] = ["generated", "upload"];

#[derive(Template)]
#[template(path = "trip.html")]
struct Article<'a> {
    title: &'a str,
    place: &'a str,
    dates: String,
    facts: String,
    author: &'a str,
    /// Who else sees the trip, for its owner.
    readers: Option<&'static str>,
    today: Option<&'a Today>,
    summary: Vec<&'a str>,
    tags: Vec<&'a str>,
    cover: Option<&'a str>,
    actions: Option<Actions<'a>>,
    cover_source: Option<&'a str>,
    overview: Option<[String; 2]>,
    streets: Option<StreetsLink<'a>>,
    has_tiles: bool,
    has_links: bool,
    flights: Vec<FlightView<'a>>,
    journey: Option<String>,
    transports: Vec<TransportView<'a>>,
    hotels: Vec<HotelView<'a>>,
    reservations: Vec<ReservationView<'a>>,
    days: Vec<DayView<'a>>,
    expenses: Option<ExpensesView<'a>>,
    packing: Option<PackingView<'a>>,
}

#[derive(Template)]
#[template(path = "document.html")]
struct HtmlDocument<'a> {
    title: String,
    description: String,
    styles: [&'static str; 2],
    article: Article<'a>,
}

/// What a reader of the page can do with the trip.
#[derive(Clone, Copy, Debug)]
pub struct Actions<'a> {
    /// The path of the page.
    pub path: &'a str,
    /// The address that can be sent to others, if everyone who has it sees the page.
    pub address: Option<&'a str>,
    /// The path of the trip's history, for those who may see it.
    pub history: Option<&'a str>,
    /// How many travellers like the trip.
    pub likes: i64,
    /// How many travellers have saved a copy of it.
    pub saves: i64,
    pub marking: Marking<'a>,
    /// Whether its maps show streets.
    pub streets: Streets<'a>,
}

/// How the reader can like the trip and save a copy.
#[derive(Clone, Copy, Debug)]
pub enum Marking<'a> {
    /// After signing in, at this address.
    SignIn(&'a str),
    /// With forms, which carry this code against cross-site request forgery.
    Forms {
        guard: &'a str,
        is_liked: bool,
        /// The path of the reader's copy, if there is one.
        copy: Option<&'a str>,
    },
    /// After signing in, at this address, if the trip is shared with the reader.
    SignInIfShared(&'a str),
    /// On the trip's own page, at this path.
    Elsewhere(&'a str),
    /// Not at all.
    Never,
}

impl Actions<'_> {
    /// The counts in words.
    fn counts(&self) -> String {
        let words = |number: i64, one, more| count(usize::try_from(number).unwrap_or_default(), one, more);
        format!("{} · {}", words(self.likes, "like", "likes"), words(self.saves, "saved copy", "saved copies"))
    }
}

/// The article of a page.
#[derive(Clone, Debug)]
pub struct PageArticle {
    pub html: String,
    /// Whether it loads tiles of the street map, which the page's policy must allow.
    pub has_tiles: bool,
}

impl<'a> Article<'a> {
    fn of(trip: &'a Trip<'a>, cover: Option<&'a str>, actions: Option<Actions<'a>>, today: Option<&'a Today>) -> Self {
        let itinerary = trip.itinerary;
        let mut tiles = TileBudget::of(actions.and_then(|actions| actions.streets.shown()));
        let (overview, days) = (maps::overview(trip, &mut tiles), days::all(trip, &mut tiles));
        let has_tiles = tiles.are_shown();
        let streets = actions.filter(|_| tiles.is_used()).and_then(StreetsLink::of);
        let mut facts = Vec::new();
        if !trip.days.is_empty() {
            facts.push(count(trip.days.len(), "day", "days"));
        }
        let travellers = usize::try_from(itinerary.travellers.get()).unwrap_or(1);
        facts.push(count(travellers, "traveller", "travellers"));
        let summary = itinerary.summary.as_deref().unwrap_or_default();
        let image = itinerary.cover_image.as_ref().filter(|_| cover.is_some());
        Self {
            title: &itinerary.title,
            place: &itinerary.destination.name,
            dates: dates_of(itinerary),
            facts: facts.join(" · "),
            author: &itinerary.author.display_name,
            readers: actions.filter(|_| itinerary.role == Role::Owner).map(|_| readers(itinerary.visibility)),
            today,
            summary: summary.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
            tags: itinerary.tags.iter().map(|tag| &**tag).collect(),
            cover,
            actions,
            cover_source: image.and_then(|image| image.source.as_deref()).filter(|source| !OURS.contains(source)),
            overview,
            streets,
            has_tiles,
            has_links: (2..=DAYS).contains(&trip.days.len()),
            journey: maps::journey(&trip.flights),
            flights: trip.flights.iter().map(FlightView::of).collect(),
            transports: trip.transports.iter().map(TransportView::of).collect(),
            hotels: trip.hotels.iter().map(HotelView::of).collect(),
            reservations: trip.reservations.iter().map(ReservationView::of).collect(),
            days,
            expenses: ExpensesView::of(itinerary),
            packing: PackingView::of(itinerary),
        }
    }
}

/// Who sees a trip of this visibility, told to its owner.
fn readers(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "Private: only you and the people with whom you share it can see it.",
        Visibility::Followers => {
            "Your followers can see it. Bookings, expenses and packing are for you and the people with whom you share it."
        }
        Visibility::Unlisted => {
            "Anyone with the link can see it. Bookings, expenses and packing are for you and the people with whom you \
             share it."
        }
        Visibility::Public => {
            "Public: anyone can find it. Bookings, expenses and packing are for you and the people with whom you share it."
        }
    }
}

fn dates_of(itinerary: &Itinerary) -> String {
    dates(itinerary.start_date.day(), itinerary.days.len() as u64)
}

/// The trip as an article for a page that has [`STYLE`] and a style sheet with the service's colours. `cover` is the
/// address of its cover image, if the page shows it, and `today` is what it says of the day while the trip runs.
pub fn article(trip: &Trip<'_>, cover: Option<&str>, actions: Actions<'_>, today: Option<&Today>) -> PageArticle {
    let article = Article::of(trip, cover, Some(actions), today);
    PageArticle { html: rendered(&article), has_tiles: article.has_tiles }
}

/// The trip as a document of its own, with its style sheet in it.
pub(crate) fn document(trip: &Trip<'_>) -> String {
    let cover = own_cover(trip);
    let document = HtmlDocument {
        title: title(trip.itinerary),
        description: description(trip.itinerary),
        styles: [PAGE, STYLE],
        article: Article::of(trip, cover, None, None),
    };
    rendered(&document)
}

/// The address of the cover if this service stores it.
fn own_cover<'a>(trip: &Trip<'a>) -> Option<&'a str> {
    let (service, _) = trip.address.rsplit_once("/trips/")?;
    let address = &*trip.itinerary.cover_image.as_ref()?.url;
    address.strip_prefix(service)?.starts_with("/images/").then_some(address)
}

/// Without characters that turn or break the text around them, wherever they come from.
fn rendered(template: &impl Template) -> String {
    text::clean(&template.render().expect("templates are rendered to memory"))
}

/// A sentence or two about the itinerary, for programs that show links.
pub fn description(itinerary: &Itinerary) -> String {
    let summary = itinerary.summary.as_deref().unwrap_or_default();
    let summary = text::line(summary);
    let text = if summary.is_empty() {
        let (place, author) = (text::line(&itinerary.destination.name), text::line(&itinerary.author.display_name));
        format!("{place}, {}. By {author}.", dates_of(itinerary))
    } else {
        summary
    };
    match text.char_indices().nth(DESCRIPTION) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// The title in one line, without characters that change the direction of what follows: for places where it cannot be
/// isolated, such as a window's title.
pub fn title(itinerary: &Itinerary) -> String {
    text::line(&itinerary.title)
}

#[cfg(test)]
pub(crate) mod tests;
