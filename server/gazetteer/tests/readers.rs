//! The readers for GeoNames and `OurAirports`: valid rows, invalid rows, and resuming from a saved position.

use std::io::{Cursor, ErrorKind};

use itinerary_gazetteer::geonames::Geonames;
use itinerary_gazetteer::ourairports::OurAirports;
use itinerary_gazetteer::{Class, Place, Position, Refused};

type Rows = Vec<Result<Place, Refused>>;

const BELEM: &str = "8010471\tBelém Tower\tBelem Tower\tBelem Tower,Torre de Belém,Башня Белен\t38.69159\t-9.21597\t\
                     S\tTOWR\tPT\t\t14\t1106\t\t\t0\t\t7\tEurope/Lisbon\t2024-01-01";

/// The row with one column replaced.
fn with(column: usize, value: &str) -> String {
    let mut cells: Vec<&str> = BELEM.split('\t').collect();
    cells[column] = value;
    cells.join("\t")
}

fn geonames(text: impl Into<Vec<u8>>) -> Rows {
    let reader = Geonames::open(Cursor::new(text.into()), Position::default()).expect("a file");
    reader.collect::<Result<_, _>>().expect("no error of the file itself")
}

fn airports(text: &str) -> Rows {
    let reader = OurAirports::open(Cursor::new(text.as_bytes()), Position::default()).expect("a good header");
    reader.collect::<Result<_, _>>().expect("no error of the file itself")
}

/// The reason of the only row.
fn reason(rows: &Rows) -> &str {
    match &rows[..] {
        [Err(refused)] => &refused.reason,
        _ => panic!("one refused row, not {rows:?}"),
    }
}

#[test]
fn a_row_of_geonames_is_a_place() {
    let rows = geonames(format!("{BELEM}\n"));
    let place = rows[0].as_ref().expect("a good row");
    assert_eq!(place.id, "geonames:8010471");
    assert_eq!(place.class, Class::Landmark);
    assert_eq!(place.names, ["Belém Tower", "Torre de Belém"]);
    assert_eq!(place.point(), (38.69159, -9.21597));
    assert_eq!((&*place.country, &*place.time_zone, place.population), ("PT", "Europe/Lisbon", 0));
}

#[test]
fn line_endings_may_be_windows_and_the_last_may_be_missing() {
    let rows = geonames(format!("{BELEM}\r\n{BELEM}"));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0], rows[1]);
}

#[test]
fn features_have_classes_and_the_rest_is_counted() {
    for (feature, code, class) in [
        ("P", "PPLC", Class::City),
        ("P", "PPLX", Class::Other),
        ("S", "MUS", Class::Museum),
        ("S", "CH", Class::Religious),
        ("S", "HTL", Class::Lodging),
        ("S", "AIRP", Class::Airport),
        ("T", "BCH", Class::Beach),
        ("L", "PRK", Class::Park),
        ("H", "FLLS", Class::Nature),
    ] {
        let row = with(6, feature).replace("\tTOWR\t", &format!("\t{code}\t"));
        assert_eq!(geonames(row)[0].as_ref().map(|place| place.class), Ok(class), "{feature}.{code}");
    }
    let text = [with(7, "NOSUCH"), with(6, "A"), with(6, "P").replace("TOWR", "PPLQ"), BELEM.to_owned()].join("\n");
    let mut reader = Geonames::open(Cursor::new(text), Position::default()).expect("a file");
    assert!(reader.next().is_some_and(|row| row.expect("read").is_ok()));
    assert_eq!(reader.skipped(), 3);
    assert!(reader.next().is_none());
}

#[test]
fn a_refusal_names_the_line_and_the_column() {
    for (column, value, named) in [
        (0, "x1", "geonameid"),
        (1, "", "name"),
        (1, "Bel\u{7}em", "name"),
        (4, "38,69", "latitude"),
        (4, "91", "latitude"),
        (4, "NaN", "latitude"),
        (5, "-180.5", "longitude"),
        (5, "inf", "longitude"),
        (8, "prt", "country code"),
        (14, "-5", "population"),
        (14, "99999999999", "population"),
        (17, "Europe/Lis bon", "timezone"),
    ] {
        let rows = geonames(with(column, value));
        assert!(reason(&rows).starts_with(named), "{value:?}: {}", reason(&rows));
    }
    let text = format!("{BELEM}\n{}\n{BELEM}\n", with(4, "x"));
    let refused: Vec<_> = geonames(text).into_iter().filter_map(Result::err).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].to_string(), r#"line 2: latitude must be a decimal number, not "x""#);
}

#[test]
fn rows_with_other_columns_are_refused() {
    assert_eq!(reason(&geonames("a\tb")), "a row has 19 columns, not 2");
    assert_eq!(reason(&geonames(format!("{BELEM}\t"))), "a row has 19 columns, not 20");
    assert_eq!(reason(&geonames("\n")), "a row has 19 columns, not 1");
    assert_eq!(reason(&geonames(b"caf\xe9\n")), "the line is not UTF-8");
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let text = format!("{}\n{BELEM}\n", "x".repeat(1_000_000));
    let rows = geonames(text.clone());
    assert_eq!(rows[0], Err(Refused { line: 1, reason: "the line is longer than 65536 bytes".to_owned() }));
    assert!(rows[1].is_ok());

    let mut reader = Geonames::open(Cursor::new(text), Position::default()).expect("a file");
    reader.next();
    assert_eq!(reader.position(), Position { offset: 1_000_001, lines: 1 });
}

#[test]
fn reading_goes_on_where_it_stopped() {
    let text = [BELEM.to_owned(), with(0, "2"), with(4, "x"), with(0, "3")].join("\r\n");
    let whole = geonames(text.clone());
    for stop in 0..=whole.len() {
        let mut first = Geonames::open(Cursor::new(text.clone()), Position::default()).expect("a file");
        let mut rows: Rows = first.by_ref().take(stop).collect::<Result<_, _>>().expect("read");
        let rest = Geonames::open(Cursor::new(text.clone()), first.position()).expect("the same file");
        rows.extend(rest.map(|row| row.expect("read")));
        assert_eq!(rows, whole, "stopped after {stop}");
    }
}

#[test]
fn a_position_within_a_line_is_refused() {
    for offset in [5, 1_000_000] {
        let position = Position { offset, lines: 1 };
        assert!(Geonames::open(Cursor::new(BELEM.to_owned()), position).is_err());
    }
}

const HEADER: &str =
    r#""id","ident","type","name","latitude_deg","longitude_deg","iso_country","municipality","iata_code""#;
const LISBON: &str =
    r#"4385,"LPPT","large_airport","Lisbon ""Portela"", Airport",38.7813,-9.13592,"PT","Lisbon","LIS""#;

#[test]
fn a_row_of_ourairports_is_an_airport() {
    let rows = airports(&format!("{HEADER}\r\n{LISBON}\r\n"));
    let place = rows[0].as_ref().expect("a good row");
    assert_eq!((&*place.id, place.class, place.code.as_deref()), ("iata:LIS", Class::Airport, Some("LIS")));
    assert_eq!(place.names, [r#"Lisbon "Portela", Airport"#, r#""Portela", Airport"#], "also without the town");
    assert_eq!((&*place.country, &*place.time_zone), ("PT", ""));
}

#[test]
fn an_airport_is_also_called_by_its_town() {
    let row =
        r#"1,"LFPG","large_airport","Charles de Gaulle International Airport",49,2.5,"FR","Paris (Roissy)","CDG""#;
    let rows = airports(&format!("{HEADER}\n{row}"));
    assert_eq!(
        rows[0].as_ref().expect("a good row").names,
        ["Charles de Gaulle International Airport", "Paris Charles de Gaulle Airport", "Charles de Gaulle Airport"]
    );
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let rows = airports(&format!("\u{feff}{}", quoted_airports()));
    assert_eq!(rows, airports(&quoted_airports()));
    assert_eq!(rows[0].as_ref().map(|place| place.code.as_deref()), Ok(Some("LIS")));
    assert_eq!(geonames(format!("\u{feff}{BELEM}\n")), geonames(format!("{BELEM}\n")));
}

/// A table whose header is quoted, as `OurAirports` publishes it.
fn quoted_airports() -> String {
    let header = "\"type\",\"name\",\"latitude_deg\",\"longitude_deg\",\"iso_country\",\"municipality\",\"iata_code\"";
    format!("{header}\n\"large_airport\",\"Humberto Delgado Airport\",38.7813,-9.13592,\"PT\",\"Lisbon\",\"LIS\"\n")
}

#[test]
fn columns_are_found_by_name() {
    let text = "\u{feff}iata_code,municipality,iso_country,longitude_deg,latitude_deg,name,type,new\n\
                LIS,Lisbon,PT,-9.1,38.7,Portela,large_airport,x\n";
    assert_eq!(airports(text)[0].as_ref().expect("a good row").point(), (38.7, -9.1));
}

#[test]
fn a_header_without_a_column_is_refused() {
    for (header, named) in [
        (HEADER.replace("iata_code", "iata"), "iata_code"),
        (HEADER.replace("ident", "name"), "name"),
        (String::new(), "empty"),
        ("\"id".to_owned(), "not closed"),
    ] {
        let error = OurAirports::open(Cursor::new(header.clone()), Position::default()).err().expect("no such header");
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains(named), "{header}: {error}");
    }
}

#[test]
fn airports_that_are_closed_or_have_no_code_are_counted() {
    let text = format!("{HEADER}\n{}\n{}\n", LISBON.replace("LIS", ""), LISBON.replace("large_airport", "closed"));
    let mut reader = OurAirports::open(Cursor::new(text), Position::default()).expect("a file");
    assert!(reader.next().is_none());
    assert_eq!(reader.skipped(), 2);
}

#[test]
fn bad_airports_are_refused_with_their_line() {
    for (from, to, named) in [
        (",38.7813,", ",x,", "latitude_deg"),
        (",38.7813,", ",95,", "latitude_deg"),
        ("-9.13592", "181", "longitude_deg"),
        (r#""PT""#, r#""Portugal""#, "iso_country"),
        (r#""LIS""#, r#""lis""#, "iata_code"),
        (r#""Lisbon","LIS""#, "\"Lis\u{1b}bon\",\"LIS\"", "municipality"),
        (r#","LIS""#, "", "a row has 9 columns"),
    ] {
        let rows = airports(&format!("{HEADER}\n{}\n", LISBON.replace(from, to)));
        assert!(reason(&rows).starts_with(named), "{to}: {}", reason(&rows));
    }
}

#[test]
fn a_field_may_contain_line_breaks_and_reading_goes_on_after_them() {
    let text = format!("{HEADER}\n{}\n{LISBON}\n", LISBON.replace("large_airport", "large\nairport"));
    let mut reader = OurAirports::open(Cursor::new(text.clone()), Position::default()).expect("a file");
    assert!(reader.next().is_some_and(|row| row.expect("read").is_ok()));
    assert_eq!(reader.position().lines, 3);
    let mut rest = OurAirports::open(Cursor::new(text), reader.position()).expect("the same file");
    assert!(rest.next().is_some_and(|row| row.expect("read").is_ok()));
    assert!(rest.next().is_none());
}

#[test]
fn an_open_quote_does_not_swallow_the_file_into_memory() {
    let text = format!("{HEADER}\n1,\"open\n{}", "x\n".repeat(100_000));
    let rows = airports(&text);
    assert!(rows.iter().all(Result::is_err));
    let Err(first) = &rows[0] else { panic!("it is refused") };
    assert_eq!((first.line, &*first.reason), (2, "a quoted field makes the record longer than 65536 bytes"));
    let mut reader =
        OurAirports::open(Cursor::new(format!("{HEADER}\n1,\"open")), Position::default()).expect("a file");
    let row = reader.next().expect("a row").expect("read");
    assert_eq!(row.expect_err("not closed").reason, "a quoted field is not closed at the end of the file");
}
