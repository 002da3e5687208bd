//! Lines of an untrusted file: bounded in length, counted, and readable from any line's offset.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// The longest line that is read, in bytes. GeoNames allows 10,000 characters of alternate names in one.
const LONGEST: u64 = 64 * 1024;

/// U+FEFF in UTF-8, which some programs write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The position of the next row in a file. Save it after each row to resume there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// In bytes from the start.
    pub offset: u64,
    pub lines: u64,
}

/// A rejected row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Refused {
    /// The number of the row's first line; the first of the file is 1.
    pub line: u64,
    /// The reason, with the column's name.
    pub reason: String,
}

pub(crate) struct Lines<R> {
    input: R,
    position: Position,
}

/// The next line without its ending, or its error.
pub(crate) type Line = Result<String, String>;

impl<R: BufRead + Seek> Lines<R> {
    /// Reads from a position, which must be the start of a line.
    pub(crate) fn at(input: R, position: Position) -> io::Result<Self> {
        Self { input, position }.seek(position)
    }

    pub(crate) fn seek(mut self, position: Position) -> io::Result<Self> {
        self.input.seek(SeekFrom::Start(position.offset.saturating_sub(1)))?;
        if position.offset > 0 && !self.is_at_line_end()? {
            let message = format!("offset {} is not the beginning of a line: the file has changed", position.offset);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        self.position = position;
        Ok(self)
    }

    /// Reads a byte; returns whether a line ends here, or at the end of the file without a line ending.
    fn is_at_line_end(&mut self) -> io::Result<bool> {
        let byte = self.input.fill_buf()?.first().copied();
        self.input.consume(usize::from(byte.is_some()));
        Ok(byte == Some(b'\n') || (byte.is_some() && self.input.fill_buf()?.is_empty()))
    }
}

impl<R> Lines<R> {
    pub(crate) const fn position(&self) -> Position {
        self.position
    }
}

impl<R: BufRead> Lines<R> {
    /// The next line; `None` at the end. Skips a line that is too long, and a byte order mark at the start of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        let is_first = self.position.offset == 0;
        let read = (&mut self.input).take(LONGEST + 1).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.position.offset += read as u64;
        self.position.lines += 1;
        if bytes.pop_if(|last| *last == b'\n').is_none() && read as u64 > LONGEST {
            self.position.offset += pass_line(&mut self.input)?;
            return Ok(Some(Err(format!("the line is longer than {LONGEST} bytes"))));
        }
        bytes.pop_if(|last| *last == b'\r');
        if is_first && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some(String::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned())))
    }
}

/// Reads to the end of the line; returns the number of bytes.
fn pass_line(input: &mut impl BufRead) -> io::Result<u64> {
    let mut passed = 0;
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (length, is_over) = (end.map_or(buffer.len(), |end| end + 1), end.is_some() || buffer.is_empty());
        input.consume(length);
        passed += length as u64;
        if is_over {
            return Ok(passed);
        }
    }
}

/// Checks of columns that both formats have.
pub(crate) mod columns {
    /// Degrees from `-limit` to `limit`.
    pub(crate) fn degrees(column: &str, text: &str, limit: f64) -> Result<f64, String> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-');
        let degrees = text.parse::<f64>().ok().filter(|_| is_plain);
        let degrees = degrees.ok_or_else(|| format!("{column} must be a decimal number, not {text:?}"))?;
        if degrees.abs() <= limit { Ok(degrees) } else { Err(format!("{column} must be from -{limit} to {limit}")) }
    }

    /// Two capital letters.
    pub(crate) fn country(column: &str, text: &str) -> Result<String, String> {
        let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        is_code
            .then(|| text.to_owned())
            .ok_or_else(|| format!("{column} must be a two-letter country code, not {text:?}"))
    }

    /// A text of 1 to 200 characters, none of which are control characters.
    pub(crate) fn name(column: &str, text: &str) -> Result<String, String> {
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return Err(format!("{column} must not contain control characters"));
        }
        let length = text.chars().count();
        if (1..=200).contains(&length) {
            Ok(text.to_owned())
        } else {
            Err(format!("{column} must have 1 to 200 characters, not {length}"))
        }
    }
}
