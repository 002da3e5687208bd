//! Copies the rows of an SQLite database into an empty PostgreSQL database, and compares them.
//!
//! Both engines have the same tables and columns; what differs, the search index and the change feed, is computed by
//! PostgreSQL or begins anew.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use futures::StreamExt;
use rusqlite::types::ValueRef;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::postgres::{Filling, PIECE, quoted};
use super::{FEED, Table, sqlite};
use crate::entity::{self, EntityTable};
use crate::query::query;
use crate::{Result, StoreError};

/// The tables that only PostgreSQL has. Nothing in them is data of travellers.
const ONLY_POSTGRES: [&str; 2] = ["new_changes", "recent_writers"];

/// The bytes of `BYTEA` are compared in this form.
const HEX: &str = "SET LOCAL bytea_output = 'hex'";

/// The rows of a table, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Checksum {
    rows: u64,
    sum: u64,
}

impl Checksum {
    fn add(&mut self, row: &[u8]) {
        let mut hasher = DefaultHasher::new();
        hasher.write(row);
        self.rows += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

/// A table to copy: its columns with their types, in the order of the data.
struct Source {
    /// The number of the table in [`Filling`].
    number: usize,
    name: String,
    columns: Vec<(String, &'static str)>,
}

impl Source {
    /// `None` for a table without rows to copy.
    fn of(number: usize, table: &Table, entities: &[EntityTable]) -> Result<Option<Self>> {
        let name = table.name.as_str();
        if FEED.contains(&name) || ONLY_POSTGRES.contains(&name) {
            return Ok(None);
        }
        let unknown = || StoreError::Corrupt(format!("the table {name} is unknown"));
        let entity = entities.iter().find(|entity| entity.name == name).ok_or_else(unknown)?;
        let kind = |column: &String| {
            let known = entity.columns.iter().find(|known| known.name == column);
            known.map(|known| (column.clone(), known.kind)).ok_or_else(unknown)
        };
        let columns = table.columns.iter().map(kind).collect::<Result<_>>()?;
        Ok(Some(Self { number, name: name.to_owned(), columns }))
    }

    fn select(&self) -> String {
        let columns: Vec<_> = self.columns.iter().map(|(name, _)| quoted(name)).collect();
        format!("SELECT {} FROM {}", columns.join(", "), quoted(&self.name))
    }

    /// Writes the rows in the form in which they are compared: the bits of numbers with a fraction, because the engines
    /// write them differently.
    fn copy_out(&self) -> String {
        let column = |(name, kind): &(String, &str)| match *kind {
            "double" => format!("float8send({})", quoted(name)),
            _ => quoted(name),
        };
        let columns: Vec<_> = self.columns.iter().map(column).collect();
        format!("COPY (SELECT {} FROM {}) TO STDOUT", columns.join(", "), quoted(&self.name))
    }
}

/// Rows of a table as `COPY` reads them.
struct Rows {
    table: usize,
    bytes: Vec<u8>,
}

impl Filling {
    /// Copies all rows of the SQLite database in a file, whose schema is this program's, and compares them with the
    /// copies. Returns their number.
    pub async fn copy_sqlite(&mut self, file: &Path) -> Result<u64> {
        let entities = entity::tables();
        let tables = self.tables().iter().enumerate();
        let sources = tables.filter_map(|(number, table)| Source::of(number, table, &entities).transpose());
        let sources = sources.collect::<Result<Vec<_>>>()?;
        let (send, mut receive) = mpsc::channel(1);
        let file = file.to_owned();
        let reading = spawn_blocking(move || {
            let sums = read(&file, &sources, &send)?;
            Ok::<_, StoreError>((sources, sums))
        });
        while let Some(Rows { table, bytes }) = receive.recv().await {
            self.insert(table, &bytes).await?;
        }
        let (sources, sums) = reading.await.map_err(|_| StoreError::unavailable("reading the snapshot panicked"))??;
        self.connection().execute(&query!(HEX)).await?;
        for (source, sum) in sources.iter().zip(&sums) {
            if self.checksum(source).await? != *sum {
                return Err(StoreError::Corrupt(format!("the copy of the table {} differs", source.name)));
            }
        }
        Ok(sums.iter().map(|sum| sum.rows).sum())
    }

    /// Reads what was inserted into a table.
    async fn checksum(&mut self, source: &Source) -> Result<Checksum> {
        let mut rows = self.connection().driver().copy_out_raw(&source.copy_out()).await?;
        let (mut sum, mut rest) = (Checksum::default(), Vec::new());
        while let Some(bytes) = rows.next().await {
            rest.extend_from_slice(&bytes?);
            let mut begin = 0;
            while let Some(length) = memchr::memchr(b'\n', &rest[begin..]) {
                sum.add(&rest[begin..begin + length]);
                begin += length + 1;
            }
            rest.drain(..begin);
        }
        Ok(sum)
    }
}

/// Reads all tables and sends their rows in pieces. Returns the checksum of each.
fn read(file: &Path, sources: &[Source], send: &mpsc::Sender<Rows>) -> Result<Vec<Checksum>> {
    let connection = sqlite::open(file)?;
    // One state of all tables, should somebody write to the file.
    connection.execute_batch("BEGIN")?;
    let mut sums = Vec::with_capacity(sources.len());
    for source in sources {
        let (mut sum, mut piece) = (Checksum::default(), Vec::with_capacity(PIECE));
        let mut statement = connection.prepare(&source.select())?;
        let mut rows = statement.query([])?;
        let (mut line, mut compared) = (String::new(), String::new());
        while let Some(row) = rows.next()? {
            line.clear();
            compared.clear();
            for (index, (name, kind)) in source.columns.iter().enumerate() {
                let separator = if index == 0 { "" } else { "\t" };
                line.push_str(separator);
                compared.push_str(separator);
                let value = row.get_ref(index)?;
                write_value(&mut line, &mut compared, kind, value).ok_or_else(|| {
                    StoreError::Corrupt(format!("{}.{name} has a value of another type", source.name))
                })?;
            }
            sum.add(compared.as_bytes());
            piece.extend_from_slice(line.as_bytes());
            piece.push(b'\n');
            if piece.len() >= PIECE {
                let bytes = std::mem::replace(&mut piece, Vec::with_capacity(PIECE));
                send.blocking_send(Rows { table: source.number, bytes }).map_err(|_| stopped())?;
            }
        }
        if !piece.is_empty() {
            send.blocking_send(Rows { table: source.number, bytes: piece }).map_err(|_| stopped())?;
        }
        sums.push(sum);
    }
    Ok(sums)
}

fn stopped() -> StoreError {
    StoreError::unavailable("the rows were not inserted")
}

/// Writes a value as `COPY` reads it, and as it is compared. `None` if it is not of this type.
fn write_value(line: &mut String, compared: &mut String, kind: &str, value: ValueRef<'_>) -> Option<()> {
    let begin = line.len();
    match (kind, value) {
        (_, ValueRef::Null) => line.push_str("\\N"),
        ("uuid", ValueRef::Blob(bytes)) => {
            write!(line, "{}", uuid::Uuid::from_slice(bytes).ok()?.hyphenated()).ok()?;
        }
        ("bytes", ValueRef::Blob(bytes)) => write_bytes(line, bytes)?,
        ("int" | "small", ValueRef::Integer(number)) => write!(line, "{number}").ok()?,
        ("double", ValueRef::Real(number)) => {
            write!(line, "{number}").ok()?;
            write_bytes(compared, &number.to_be_bytes())?;
            return Some(());
        }
        ("text", ValueRef::Text(text)) => escape(line, std::str::from_utf8(text).ok()?),
        _ => return None,
    }
    compared.push_str(&line[begin..]);
    Some(())
}

fn write_bytes(line: &mut String, bytes: &[u8]) -> Option<()> {
    line.push_str("\\\\x");
    bytes.iter().try_for_each(|byte| write!(line, "{byte:02x}")).ok()
}

/// Escapes the characters that `COPY` escapes when it writes.
fn escape(line: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '\u{8}' => line.push_str("\\b"),
            '\u{b}' => line.push_str("\\v"),
            '\u{c}' => line.push_str("\\f"),
            other => line.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(kind: &str, value: ValueRef<'_>) -> Option<(String, String)> {
        let (mut line, mut compared) = (String::new(), String::new());
        write_value(&mut line, &mut compared, kind, value).map(|()| (line, compared))
    }

    #[test]
    fn values_are_written_as_copy_reads_them() {
        let same = |text: &str| Some((text.to_owned(), text.to_owned()));
        assert_eq!(written("int", ValueRef::Null), same("\\N"));
        assert_eq!(written("small", ValueRef::Integer(-7)), same("-7"));
        assert_eq!(written("bytes", ValueRef::Blob(&[0, 255])), same("\\\\x00ff"));
        let uuid = written("uuid", ValueRef::Blob(&[1; 16]));
        assert_eq!(uuid, same("01010101-0101-0101-0101-010101010101"));
        assert_eq!(
            written("text", ValueRef::Text("a\\N\tb\n\r\u{8}\u{b}\u{c}é".as_bytes())),
            same("a\\\\N\\tb\\n\\r\\b\\v\\fé")
        );
        let double = written("double", ValueRef::Real(-0.5));
        assert_eq!(double, Some(("-0.5".to_owned(), "\\\\xbfe0000000000000".to_owned())));
    }

    #[test]
    fn values_of_other_types_are_not_written() {
        for (kind, value) in [
            ("int", ValueRef::Text(b"7")),
            ("uuid", ValueRef::Blob(&[1; 15])),
            ("text", ValueRef::Blob(b"x")),
            ("text", ValueRef::Text(&[0xff])),
            ("double", ValueRef::Integer(1)),
        ] {
            assert_eq!(written(kind, value), None, "{kind}");
        }
    }

    #[test]
    fn checksums_do_not_depend_on_the_order() {
        let sum = |rows: &[&str]| {
            let mut sum = Checksum::default();
            for row in rows {
                sum.add(row.as_bytes());
            }
            sum
        };
        assert_eq!(sum(&["a", "b", "b"]), sum(&["b", "a", "b"]));
        assert_ne!(sum(&["a", "b", "b"]), sum(&["a", "a", "b"]));
    }
}
