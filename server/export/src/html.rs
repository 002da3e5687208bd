//! HTML for reading and printing.

use std::fmt::Write;

use crate::text::{line, markup};
use crate::trip::Trip;

pub(crate) fn export(trip: &Trip<'_>) -> String {
    let title = markup(&line(&trip.itinerary.title));
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n</head>\n<body>\n\
         <h1>{title}</h1>\n"
    );
    for day in &trip.days {
        _ = writeln!(html, "<h2>Day {}, {}</h2>\n<ol>", day.number, day.date);
        for stop in &day.stops {
            let time = stop.starts.as_ref().map(|starts| format!("{} ", starts.time())).unwrap_or_default();
            _ = writeln!(html, "<li>{time}<bdi>{}</bdi></li>", markup(&line(&stop.stop.name)));
        }
        html.push_str("</ol>\n");
    }
    html.push_str("</body>\n</html>\n");
    html
}
