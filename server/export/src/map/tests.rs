use super::{draw as draw_map, *};

/// The map as HTML.
fn draw(map: &Map<'_>) -> Option<String> {
    draw_map(map).map(|drawn| drawn.html)
}

fn at(latitude: f64, longitude: f64) -> GeoPoint {
    GeoPoint { latitude, longitude }
}

fn map(points: &[(f64, f64)], name: &str) -> Map<'static> {
    let dots: Vec<Dot> = points
        .iter()
        .enumerate()
        .map(|(n, &(latitude, longitude))| Dot {
            at: at(latitude, longitude),
            mark: (n + 1).to_string(),
            name: name.to_owned(),
            colour: n / 8,
        })
        .collect();
    let line = |pair: &[Dot]| MapLine { from: pair[0].at, to: pair[1].at, stroke: Stroke::Solid, colour: 0 };
    let lines = dots.windows(2).map(line).collect();
    Map {
        id: "m",
        title: "T",
        description: "D",
        dots,
        lines,
        width: 720.0,
        heights: (300.0, 520.0),
        is_focused: false,
        names: 12,
        towns: 4,
        land: 8_000,
        streets: None,
        tiles: 24,
    }
}

/// The numbers of all attributes of this name, but not of towns.
fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
    let start = format!(" {attribute}=\"");
    let svg = svg.split("<circle class=\"town\"").next().expect("towns are last");
    svg.split(&start).skip(1).map(|rest| rest.split('"').next().expect("a value").parse().expect("a number")).collect()
}

#[test]
fn nothing_is_drawn_without_dots() {
    assert_eq!(draw(&map(&[], "S")), None);
}

#[test]
fn all_dots_are_in_the_frame() {
    for points in [
        &[(38.7, -9.1)][..],
        &[(38.7, -9.1), (38.7, -9.1), (38.7, -9.1)],
        &[(90.0, 0.0), (-90.0, 180.0)],
        &[(-17.0, 179.9), (-17.0, -179.9)],
        &[(0.0, 0.0), (0.0, 120.0), (0.0, -120.0)],
    ] {
        let svg = draw(&map(points, "Stop")).expect("a map");
        assert_eq!(numbers(&svg, "cx").len(), points.len(), "{svg}");
        assert!(numbers(&svg, "cx").iter().all(|x| (0.0..=720.0).contains(x)), "{svg}");
        assert!(numbers(&svg, "cy").iter().all(|y| (0.0..=520.0).contains(y)), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

#[test]
fn a_map_across_the_date_line_is_not_torn() {
    let svg = draw(&map(&[(-17.0, 179.9), (-17.0, -179.9)], "")).expect("a map");
    let x = numbers(&svg, "cx");
    assert!(x[0] < x[1], "east is on the right: {x:?}");
    assert_eq!(svg.matches("class=\"line c0\"").count(), 1);
    assert!(svg.contains("km</text>"), "a small area has a scale: {svg}");
}

#[test]
fn a_line_around_the_earth_leaves_on_one_side_and_comes_back_on_the_other() {
    let svg = draw(&map(&[(0.0, 0.0), (0.0, 115.0), (0.0, -125.0)], "")).expect("a map");
    let mut round = map(&[(0.0, 0.0), (0.0, 115.0), (0.0, -125.0)], "");
    round.lines.push(MapLine { from: at(0.0, -125.0), to: at(0.0, 0.0), stroke: Stroke::Dotted, colour: 0 });
    let with_return = draw(&round).expect("a map");
    let dotted = with_return.split("dotted c0\" d=\"").nth(1).expect("a line").split('"').next().expect("a path");
    assert!(dotted.matches('M').count() <= 2, "{dotted}");
    assert!(!svg.contains("dotted"));
}

#[test]
fn a_dot_far_from_the_others_may_be_at_the_edge() {
    let far = [(38.77, -9.13), (38.711, -9.13), (38.712, -9.131), (38.713, -9.129), (38.71, -9.128)];
    let mut map = map(&far, "S");
    let whole = draw(&map).expect("a map");
    assert_eq!((numbers(&whole, "cx").len(), whole.contains("outside the map")), (5, false));
    assert!(!whole.contains("beyond"));
    map.is_focused = true;
    let focused = draw(&map).expect("a map");
    let heights = numbers(&focused, "cy");
    assert_eq!((heights.len(), focused.matches("class=\"beyond").count()), (5, 1));
    assert!(heights[0] < 30.0 && heights[1..].iter().all(|y| *y > heights[0]), "in the north: {heights:?}");
    assert!(focused.contains("One of them is outside the map: an arrow points to it."), "{focused}");
    let spread = [(38.8, -9.1), (38.7, -9.1), (38.6, -9.1), (38.5, -9.1)];
    let spread = Map { is_focused: true, ..self::map(&spread, "S") };
    assert_eq!(numbers(&draw(&spread).expect("a map"), "cx").len(), 4);
}

#[test]
fn hostile_names_are_text() {
    let svg = draw(&map(&[(1.0, 1.0)], "</text><script>alert(1)</script>\u{202e}")).expect("a map");
    assert!(!svg.contains("<script") && !svg.contains('\u{202e}'), "{svg}");
    assert!(svg.contains("&lt;/text&gt;"), "{svg}");
}

#[test]
fn names_do_not_hide_each_other() {
    let points: Vec<(f64, f64)> = (0..40).map(|n| (38.7 + f64::from(n) * 1e-5, -9.1)).collect();
    let svg = draw(&map(&points, "A stop with a long name")).expect("a map");
    assert!(svg.matches("class=\"name").count() <= 12, "{svg}");
}

#[test]
fn thousands_of_dots_stay_small() {
    let points: Vec<(f64, f64)> =
        (0..3_000).map(|n| (38.0 + f64::from(n % 61) * 0.01, -9.0 + f64::from(n % 53) * 0.01)).collect();
    let svg = draw(&map(&points, "Stop")).expect("a map");
    assert!(svg.len() < 260_000, "{}", svg.len());
    assert!(!svg.contains("<text class=\"name"));
}

#[test]
fn towns_have_names_off_dots_and_lines() {
    let svg = draw(&map(&[(38.72, -9.14), (41.15, -8.61), (37.02, -7.93)], "Stop")).expect("a map");
    let towns: Vec<&str> =
        svg.split("<text class=\"town ").skip(1).filter_map(|text| text.split(['>', '<']).nth(1)).collect();
    assert!(towns.len() == 4 && towns.contains(&"Sevilla"), "{towns:?}");
    assert!(!towns.contains(&"Lisbon"), "its dot is under a stop: {towns:?}");
}

const STREETS: StreetMap<'static> = StreetMap {
    template: "https://tile.example/{z}/{x}/{y}.png?key=a&v=2",
    attribution: "© Ana's <maps>",
    link: Some("https://tile.example/copyright"),
};

#[test]
fn streets_lie_between_land_and_lines_with_their_credit() {
    let lisbon = [(38.7139, -9.1394), (38.6916, -9.2160), (38.7033, -9.1789)];
    let plain = draw_map(&map(&lisbon, "Stop")).expect("a map");
    assert!(plain.tiles > 0 && !plain.html.contains("<img") && !plain.html.contains("credit"), "{}", plain.html);
    let drawn = draw_map(&Map { streets: Some(STREETS), ..map(&lisbon, "Stop") }).expect("a map");
    let html = &drawn.html;
    assert_eq!((html.matches("<img ").count(), drawn.tiles), (plain.tiles, plain.tiles));
    assert!(
        html.contains("<img src=\"https://tile.example/13/3886/3139.png?key=a&amp;v=2\" alt=\"\" width=\"256\""),
        "{html}"
    );
    assert_eq!(html.matches("loading=\"lazy\" referrerpolicy=\"origin\"").count(), drawn.tiles);
    let place = |part: &str| html.find(part).unwrap_or_else(|| panic!("{part} in {html}"));
    let order =
        ["class=\"land\"", "class=\"town", "class=\"tile\"", "class=\"veil\"", "class=\"casing\"", "class=\"line c0\""];
    assert!(order.map(place).is_sorted(), "{html}");
    assert!(place("class=\"line c0\"") < place("<g class=\"dot") && place("</svg>") < place("<p class=\"credit\">"));
    assert!(html.contains("nofollow\">© Ana&#39;s &lt;maps&gt;</a>") && !html.contains("style=\""), "{html}");
    let unlinked = Map { streets: Some(StreetMap { link: None, ..STREETS }), ..map(&lisbon, "Stop") };
    assert!(draw(&unlinked).expect("a map").ends_with("<p class=\"credit\">© Ana&#39;s &lt;maps&gt;</p>"));
}

#[test]
fn a_map_without_room_for_its_tiles_shows_none() {
    let lisbon = [(38.7139, -9.1394), (38.6916, -9.2160)];
    let all = draw_map(&map(&lisbon, "Stop")).expect("a map").tiles;
    let short = Map { streets: Some(STREETS), tiles: all - 1, ..map(&lisbon, "Stop") };
    let plain = Map { tiles: all - 1, ..map(&lisbon, "Stop") };
    assert_eq!(draw_map(&short), draw_map(&plain));
    assert_eq!(draw_map(&short).expect("a map").tiles, 0);
}

#[test]
fn a_map_of_a_continent_shows_no_streets() {
    let europe = Map { streets: Some(STREETS), ..map(&[(38.72, -9.14), (52.52, 13.4)], "Stop") };
    let drawn = draw_map(&europe).expect("a map");
    assert!(drawn.tiles == 0 && !drawn.html.contains("tile.example"), "{}", drawn.html);
}
