//! CSV tables (RFC 4180) with a header, whose columns may be in any order.
//!
//! Records are found here, because they must be bounded in length and readable from a saved position. The crate `csv`
//! parses them.

use std::io::{self, BufRead, Seek};

use crate::lines::{Lines, Position};

/// The most bytes of a record whose quoted fields contain line breaks.
const LONGEST: usize = 64 * 1024;

/// The rows of a table, each with the `N` requested columns.
pub struct CsvTable<R, const N: usize> {
    lines: Lines<R>,
    /// The indexes of the requested columns.
    indexes: [usize; N],
    width: usize,
}

pub struct Row<const N: usize> {
    /// The number of its first line; the header is 1.
    pub line: u64,
    /// The columns in the requested order, or the row's error.
    pub cells: Result<[String; N], String>,
}

impl<R: BufRead + Seek, const N: usize> CsvTable<R, N> {
    /// Reads the header, then continues from a position: the default one for the whole file, or a saved one.
    pub fn open(input: R, columns: [&str; N], position: Position) -> io::Result<Self> {
        let mut lines = Lines::at(input, Position::default())?;
        let header = next_record(&mut lines)?.unwrap_or_else(|| Err("the file is empty".to_owned()));
        let found = header.and_then(|header| Ok((indexes(&header, columns)?, header.len())));
        let (indexes, width) = found.map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))?;
        let lines = if position == Position::default() { lines } else { lines.seek(position)? };
        Ok(Self { lines, indexes, width })
    }
}

impl<R, const N: usize> CsvTable<R, N> {
    pub const fn position(&self) -> Position {
        self.lines.position()
    }
}

impl<R: BufRead, const N: usize> Iterator for CsvTable<R, N> {
    type Item = io::Result<Row<N>>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.position().lines + 1;
        let record = next_record(&mut self.lines).transpose()?;
        Some(record.map(|record| Row { line, cells: record.and_then(|record| self.cells(record)) }))
    }
}

impl<R, const N: usize> CsvTable<R, N> {
    fn cells(&self, mut record: Vec<String>) -> Result<[String; N], String> {
        if record.len() == self.width {
            Ok(self.indexes.map(|index| std::mem::take(&mut record[index])))
        } else {
            Err(format!("a row has {} columns as the header, not {}", self.width, record.len()))
        }
    }
}

fn indexes<const N: usize>(header: &[String], columns: [&str; N]) -> Result<[usize; N], String> {
    let mut indexes = [0; N];
    for (index, name) in indexes.iter_mut().zip(columns) {
        let mut found = header.iter().enumerate().filter(|(_, cell)| *cell == name);
        *index = found.next().ok_or_else(|| format!("the header has no column {name}"))?.0;
        if found.next().is_some() {
            return Err(format!("the header has more than one column {name}"));
        }
    }
    Ok(indexes)
}

/// The next record, or its error; `None` at the end.
fn next_record<R: BufRead>(lines: &mut Lines<R>) -> io::Result<Option<Result<Vec<String>, String>>> {
    let mut record = match lines.next()? {
        None => return Ok(None),
        Some(Err(reason)) => return Ok(Some(Err(reason))),
        Some(Ok(line)) => line,
    };
    // An odd number of quotes: the last field continues in the next line.
    while record.matches('"').count() % 2 == 1 {
        match lines.next()? {
            None => return Ok(Some(Err("a quoted field is not closed at the end of the file".to_owned()))),
            Some(Err(reason)) => return Ok(Some(Err(reason))),
            Some(Ok(line)) if record.len() + line.len() < LONGEST => {
                record.push('\n');
                record.push_str(&line);
            }
            Some(Ok(_)) => {
                return Ok(Some(Err(format!("a quoted field makes the record longer than {LONGEST} bytes"))));
            }
        }
    }
    Ok(Some(fields(&record)))
}

/// The fields of a record.
fn fields(record: &str) -> Result<Vec<String>, String> {
    let not_csv = |error| format!("the record is not CSV: {error}");
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).buffer_capacity(record.len() + 1).from_reader(record.as_bytes());
    let mut records = reader.records();
    let first = records.next().transpose().map_err(not_csv)?.unwrap_or_default();
    if records.next().is_some() {
        // Lines were joined because of a quote that opens no field.
        return Err("a quote is inside a field that is not quoted".to_owned());
    }
    Ok(first.iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::fields;

    #[test]
    fn fields_are_split_at_commas_outside_quotes() {
        let split = |record| fields(record).expect("a good record");
        assert_eq!(split("a,b,"), ["a", "b", ""]);
        assert_eq!(split(r#""a,b","say ""hi""",c"#), ["a,b", r#"say "hi""#, "c"]);
        assert_eq!(split("\"two\nlines\",x"), ["two\nlines", "x"]);
        assert_eq!(split(r#""","""""#), ["", "\""]);
        assert_eq!(split(""), [""; 0]);
    }

    #[test]
    fn lines_that_a_stray_quote_joined_are_rejected() {
        assert!(fields("a,b\"\nc,d\"").is_err());
        assert!(fields("6\" pipe,a\nb,\"c").is_err());
    }
}
