//! KML and KMZ: placemarks with a point or an address as places to see, with their folders. Lines, areas and tracks are no
//! places, and linked files are not read.
//!
//! The crate `kml` is not used: it refuses a whole file for one bad value, and reads all coordinates of all lines.

use chrono::NaiveDate;

use crate::booking::{Spot, Time, Waypoint};
use crate::budget::{Budget, Exceeded};
use crate::file::{Found, Ignored, Outline, Reason};
use crate::readers::archive::Archive;
use crate::readers::calendar::moment;
use crate::readers::gpx;
use crate::readers::xml::{self, Element};
use crate::readers::{text, when};

/// What has no places: lines, areas, tracks, models, pictures, views and styles.
const SKIPPED: [&str; 14] = [
    "LineString",
    "LinearRing",
    "Polygon",
    "Track",
    "MultiTrack",
    "Model",
    "GroundOverlay",
    "ScreenOverlay",
    "PhotoOverlay",
    "LookAt",
    "Camera",
    "Style",
    "StyleMap",
    "Schema",
];

/// Reads KML, or KMZ, which is a zip archive with it.
pub fn read(content: &[u8], budget: &mut Budget<'_>) -> Result<Found, Ignored> {
    if !Archive::is_one(content) {
        return read_text(content, budget);
    }
    let mut archive = Archive::open(content)?;
    let mut names = archive.names();
    names.retain(|name| name.to_ascii_lowercase().ends_with(".kml"));
    // The main file is at the top.
    names.sort_by_key(|name| (name.matches('/').count(), !name.eq_ignore_ascii_case("doc.kml")));
    let content = match names.first() {
        Some(name) => archive.read(name, budget)?,
        None => None,
    };
    read_text(&content.ok_or_else(not_recognised)?, budget)
}

fn not_recognised() -> Ignored {
    Ignored { reason: Reason::NotRecognised, message: "The file has no KML.".to_owned() }
}

fn read_text(content: &[u8], budget: &mut Budget<'_>) -> Result<Found, Ignored> {
    let content = crate::text::decode(content, None);
    let root = xml::parse(&content, &SKIPPED, budget)?;
    if root.name != "kml" && root.name != "Document" && root.name != "Folder" {
        return Err(not_recognised());
    }
    let mut found = Found::default();
    walk(&root, &mut Vec::new(), &mut found, budget)?;
    if !found.waypoints.is_empty() {
        found.trip = root.child("Document").and_then(outline);
    }
    Ok(found)
}

fn outline(document: &Element) -> Option<Outline> {
    let title = document.text_of("name").and_then(text::some)?;
    Some(Outline { title: Some(title), summary: description(document), ..Outline::default() })
}

/// Adds the places of an element and of the folders in it.
fn walk(
    parent: &Element,
    folder: &mut Vec<String>,
    found: &mut Found,
    budget: &mut Budget<'_>,
) -> Result<(), Exceeded> {
    for child in &parent.children {
        match child.name.as_str() {
            "Document" => walk(child, folder, found, budget)?,
            "Folder" => {
                let name = child.text_of("name").map(str::to_owned);
                let depth = folder.len();
                folder.extend(name);
                walk(child, folder, found, budget)?;
                folder.truncate(depth);
            }
            "Placemark" => {
                if let Some(waypoint) = placemark(child, folder) {
                    budget.take_item()?;
                    found.waypoints.push(waypoint);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn placemark(element: &Element, folder: &[String]) -> Option<Waypoint> {
    let coordinate = point(element);
    let address = element.text_of("address").and_then(text::some);
    if coordinate.is_none() && address.is_none() {
        return None;
    }
    let description = description(element);
    let (local, rest) = description.as_deref().map_or((None, None), local_time);
    let data = data(element);
    let words = [rest.or(description), text::some(&data)].into_iter().flatten().collect::<Vec<_>>().join("\n");
    let day = || folder.iter().rev().find_map(|name| day(name)).map(Time::Day);
    Some(Waypoint {
        place: Spot { name: element.text_of("name").and_then(text::some), address, coordinate, ..Spot::default() },
        notes: text::some(&words),
        time: local.or_else(|| stamp(element)).or_else(day),
        folder: folder.to_vec(),
    })
}

/// The time with which our own descriptions begin, and the rest.
fn local_time(description: &str) -> (Option<Time>, Option<String>) {
    let (first, rest) = description.split_once('\n').unwrap_or((description, ""));
    match moment(first) {
        (Some(time), "") => (Some(time), Some(rest.trim().to_owned())),
        _ => (None, None),
    }
}

/// The point of a placemark, or the first point of several shapes.
fn point(element: &Element) -> Option<(f64, f64)> {
    let shapes = element.child("MultiGeometry").into_iter().flat_map(|shapes| shapes.all("Point"));
    let coordinates = element.all("Point").chain(shapes).find_map(|point| point.text_of("coordinates"))?;
    let mut numbers = coordinates.split([',', ' ', '\n', '\t']).filter(|number| !number.is_empty());
    let (longitude, latitude) = (numbers.next(), numbers.next());
    gpx::coordinate(latitude, longitude)
}

fn description(element: &Element) -> Option<String> {
    let description = element.text_of("description").or(element.text_of("Snippet"))?;
    let plain = text::plain(description);
    let lines: Vec<&str> = plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    text::some(&lines.join("\n"))
}

/// A time, or the beginning of a span.
fn stamp(element: &Element) -> Option<Time> {
    let at = element.child("TimeStamp").and_then(|stamp| stamp.text_of("when"));
    let begins = || element.child("TimeSpan").and_then(|span| span.text_of("begin"));
    when::iso(at.or_else(begins)?)?.on(None)
}

/// The day of a folder: a date in its name, such as `Day 2, 2026-05-18`.
fn day(name: &str) -> Option<NaiveDate> {
    name.split([',', ' ', ':', '(', ')']).find_map(|word| word.parse().ok())
}

/// Fields that a program added, one a line.
fn data(element: &Element) -> String {
    let Some(extended) = element.child("ExtendedData") else { return String::new() };
    let simple = extended.all("SchemaData").flat_map(|data| data.all("SimpleData"));
    let simple = simple.filter_map(|data| Some((data.attribute("name")?, data.text()?)));
    let named = extended.all("Data").filter_map(|data| Some((data.attribute("name")?, data.text_of("value")?)));
    // Addresses of pictures are of no use here.
    let fields = named.chain(simple).filter(|(name, _)| *name != "gx_media_links").take(50);
    fields.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(content: &[u8]) -> Found {
        read(content, &mut Budget::new(&|| false)).unwrap()
    }

    #[test]
    fn placemarks_with_folders_and_times() {
        let found = found(include_bytes!("../../samples/kml/other.kml"));
        let names: Vec<Option<&str>> = found.waypoints.iter().map(|point| point.place.name.as_deref()).collect();
        assert_eq!(names, [Some("Torre de Belém"), Some("Casa"), Some("Mixed")]);
        let tower = &found.waypoints[0];
        assert_eq!(tower.place.coordinate, Some((38.6916, -9.216)));
        assert_eq!(tower.folder, ["Sights", "West"]);
        assert_eq!(tower.notes.as_deref(), Some("Open\nfrom ten\nTicket: 8 EUR\nRating: 5"));
        assert_eq!(tower.time, Some(Time::Offset("2026-05-18T10:00:00".parse().unwrap(), 60)));
        assert_eq!(found.waypoints[1].place.address.as_deref(), Some("Rua do Exemplo 1, Lisboa"));
        assert_eq!(found.waypoints[1].time, Some(Time::Day("2026-05-19".parse().unwrap())));
        assert_eq!(found.trip.unwrap().title.as_deref(), Some("My map"));
    }

    #[test]
    fn our_own_file_comes_back() {
        let found = found(include_bytes!("../../samples/kml/own.kml"));
        let [first, second, hotel] = found.waypoints.as_slice() else { panic!("{:?}", found.waypoints) };
        assert_eq!(first.folder, ["Day 1, 2026-05-17"]);
        assert_eq!(
            (first.time.clone(), first.notes.as_deref()),
            (Some(Time::Day("2026-05-17".parse().unwrap())), Some("Viewpoint"))
        );
        assert_eq!(second.time, Some(Time::Zone("2026-05-18T10:00:00".parse().unwrap(), "Europe/Lisbon".to_owned())));
        assert_eq!(second.notes.as_deref(), Some("Museum\nEsplanada Dom Carlos I"));
        assert_eq!((hotel.place.name.as_deref(), hotel.folder.len()), (Some("Hotel Exemplo"), 1));
        let trip = found.trip.unwrap();
        assert_eq!((trip.title.as_deref(), trip.summary.as_deref()), (Some("Lisbon in May"), Some("Tiles & trams")));
    }

    #[test]
    fn kmz() {
        use std::io::Write;
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, content) in
            [("files/a.kml", &b"<kml/>"[..]), ("map.kml", include_bytes!("../../samples/kml/own.kml"))]
        {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(content).unwrap();
        }
        let zipped = zip.finish().unwrap().into_inner();
        assert_eq!(found(&zipped).waypoints.len(), 3);
        assert_eq!(read(b"<html/>", &mut Budget::new(&|| false)).unwrap_err().reason, Reason::NotRecognised);
    }
}
