//! Writes and reads the tar file: entries in order, each with its checksum.
//!
//! Reading accepts only what writing produces: regular files with names in ascending order, and at the end the checksums
//! of all of them. So a link, a name twice, or an entry that is missing, added or changed is recognised without a list in
//! memory. Checksums recognise damage, not a forger.

use std::fmt::Write as _;
use std::io::{self, Read, Seek as _, Write};

use openssl::sha::Sha256;
use tar::{EntryType, Header};

use super::{Result, SUMS, damaged};

/// The size of tar's blocks, in bytes.
const BLOCK: usize = 512;
/// Checksums beyond this size are kept in a temporary file.
const IN_MEMORY: usize = 1 << 20;
/// The size of a piece that is read at once, in bytes.
pub(super) const PIECE: usize = 256 << 10;

pub(super) struct ArchiveWriter<W> {
    output: W,
    /// The seconds since 1970 that every entry has as its time.
    time: u64,
    sums: tempfile::SpooledTempFile,
    entry: Option<Begun>,
    /// The number of bytes written.
    pub(super) bytes: u64,
}

struct Begun {
    name: String,
    size: u64,
    remaining: u64,
    sum: Sha256,
}

impl<W: Write> ArchiveWriter<W> {
    pub(super) fn new(output: W, time: u64) -> Self {
        Self { output, time, sums: tempfile::spooled_tempfile(IN_MEMORY), entry: None, bytes: 0 }
    }

    /// Writes an entry whose content is known.
    pub(super) fn entry(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.begin(name, content.len() as u64)?;
        self.write(content)?;
        self.end()
    }

    pub(super) fn begin(&mut self, name: &str, size: u64) -> io::Result<()> {
        let mut header = Header::new_ustar();
        header.set_path(name)?;
        header.set_size(size);
        header.set_mode(0o600);
        header.set_mtime(self.time);
        header.set_entry_type(EntryType::Regular);
        header.set_cksum();
        self.put(header.as_bytes())?;
        self.entry = Some(Begun { name: name.to_owned(), size, remaining: size, sum: Sha256::new() });
        Ok(())
    }

    /// Writes a piece of the entry.
    pub(super) fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        let entry = self.entry.as_mut().expect("an entry was begun");
        let too_long = || io::Error::other(format!("{} grew while it was read", entry.name));
        entry.remaining = entry.remaining.checked_sub(piece.len() as u64).ok_or_else(too_long)?;
        entry.sum.update(piece);
        self.put(piece)
    }

    pub(super) fn end(&mut self) -> io::Result<()> {
        let Begun { name, size, remaining, sum } = self.entry.take().expect("an entry was begun");
        if remaining > 0 {
            return Err(io::Error::other(format!("{name} is shorter than its size")));
        }
        self.pad(size)?;
        self.sums.write_all(line(sum, &name).as_bytes())
    }

    /// Writes the checksums and the end.
    pub(super) fn finish(mut self) -> io::Result<(W, u64)> {
        let mut sums = std::mem::replace(&mut self.sums, tempfile::spooled_tempfile(0));
        let size = sums.stream_position()?;
        sums.rewind()?;
        self.begin(SUMS, size)?;
        let mut piece = vec![0; PIECE];
        loop {
            match sums.read(&mut piece)? {
                0 => break,
                read => self.write(&piece[..read])?,
            }
        }
        self.entry = None;
        self.pad(size)?;
        self.put(&[0; 2 * BLOCK])?;
        self.output.flush()?;
        Ok((self.output, self.bytes))
    }

    fn pad(&mut self, size: u64) -> io::Result<()> {
        let rest = usize::try_from(size.next_multiple_of(BLOCK as u64) - size).expect("less than a block");
        self.put(&[0; BLOCK][..rest])
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

/// A line of the checksums.
fn line(sum: Sha256, name: &str) -> String {
    let mut line = String::with_capacity(name.len() + 67);
    for byte in sum.finish() {
        write!(line, "{byte:02x}").expect("a string takes everything");
    }
    line + "  " + name + "\n"
}

pub(super) struct ArchiveReader<'a, R: Read> {
    entries: tar::Entries<'a, R>,
    /// The name of the last entry.
    last: String,
    /// The checksum of the checksums so far.
    sums: Sha256,
}

/// An entry that is being read.
pub(super) struct ArchiveEntry<'a, R: Read> {
    pub(super) name: String,
    pub(super) size: u64,
    remaining: u64,
    content: tar::Entry<'a, R>,
    sum: Sha256,
    piece: Vec<u8>,
}

impl<'a, R: Read> ArchiveReader<'a, R> {
    pub(super) fn new(archive: &'a mut tar::Archive<R>) -> Result<Self> {
        // Raw, because extensions of tar such as long names are not accepted.
        Ok(Self { entries: archive.entries()?.raw(true), last: String::new(), sums: Sha256::new() })
    }

    /// The next entry. `None` after the last one, when the checksums have been compared.
    pub(super) fn next(&mut self) -> Result<Option<ArchiveEntry<'a, R>>> {
        let Some(content) = self.entries.next().transpose()? else {
            return damaged("it ends too early");
        };
        let name = std::str::from_utf8(&content.path_bytes()).map(str::to_owned).unwrap_or_default();
        if content.header().entry_type() != EntryType::Regular || content.header().as_ustar().is_none() {
            return damaged(format!("{name:?} is not a regular file"));
        }
        if name <= self.last {
            return damaged(format!("{name:?} is in the wrong place"));
        }
        self.last.clone_from(&name);
        let size = content.header().entry_size()?;
        let entry = ArchiveEntry { name, size, remaining: size, content, sum: Sha256::new(), piece: vec![0; PIECE] };
        if entry.name != SUMS {
            return Ok(Some(entry));
        }
        self.compare(entry)?;
        Ok(None)
    }

    /// Ends an entry that was read completely.
    pub(super) fn end(&mut self, entry: ArchiveEntry<'a, R>) -> Result<()> {
        if entry.remaining > 0 {
            return damaged(format!("{:?} was not expected", entry.name));
        }
        self.sums.update(line(entry.sum, &entry.name).as_bytes());
        Ok(())
    }

    fn compare(&mut self, mut sums: ArchiveEntry<'a, R>) -> Result<()> {
        while sums.read()?.is_some() {}
        if sums.sum.finish() != std::mem::replace(&mut self.sums, Sha256::new()).finish() {
            return damaged("the checksums differ");
        }
        match self.entries.next().transpose()? {
            None => Ok(()),
            Some(_) => damaged("it does not end after the checksums"),
        }
    }
}

impl<R: Read> ArchiveEntry<'_, R> {
    /// The next piece. `None` at the end.
    pub(super) fn read(&mut self) -> Result<Option<&[u8]>> {
        if self.remaining == 0 {
            return Ok(None);
        }
        match self.content.read(&mut self.piece)? {
            0 => damaged(format!("{} is truncated", self.name)),
            read => {
                let piece = &self.piece[..read];
                self.remaining = self.remaining.saturating_sub(read as u64);
                self.sum.update(piece);
                Ok(Some(piece))
            }
        }
    }

    /// The whole content, at most this many bytes.
    pub(super) fn read_all(&mut self, limit: u64) -> Result<Vec<u8>> {
        if self.size > limit {
            return damaged(format!("{:?} is too large", self.name));
        }
        let mut whole = Vec::new();
        while let Some(piece) = self.read()? {
            whole.extend_from_slice(piece);
        }
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ArchiveWriter::new(Vec::new(), 0);
        for (name, content) in entries {
            writer.entry(name, content).expect("a vector takes everything");
        }
        writer.finish().expect("a vector takes everything").0
    }

    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
        let mut archive = tar::Archive::new(bytes);
        let (mut reader, mut entries) = (ArchiveReader::new(&mut archive)?, Vec::new());
        while let Some(mut entry) = reader.next()? {
            entries.push((entry.name.clone(), entry.read_all(1 << 20)?));
            reader.end(entry)?;
        }
        Ok(entries)
    }

    const ENTRIES: [(&str, &[u8]); 3] = [("a", b""), ("b/c", &[7; 600]), ("d", &[1; 512])];

    #[test]
    fn archive_round_trip_keeps_all_entries() {
        let entries = read(&written(&ENTRIES)).expect("it is whole");
        assert_eq!(entries, ENTRIES.map(|(name, content)| (name.to_owned(), content.to_vec())));
    }

    #[test]
    fn a_part_is_recognised() {
        let whole = written(&ENTRIES);
        // Without the last two blocks it is still complete.
        for length in 0..whole.len() - 2 * 512 {
            // The checksums are shorter than their last block.
            if read(&whole[..length]).is_ok() {
                assert!(length > whole.len() - 3 * 512, "{length} of {}", whole.len());
            }
        }
    }

    #[test]
    fn every_change_of_a_byte_is_recognised_or_changes_nothing() {
        let whole = written(&ENTRIES);
        let entries = read(&whole).expect("it is whole");
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            // Owner, mode and padding are not used.
            if let Ok(read) = read(&changed) {
                assert_eq!(read, entries, "byte {at}");
            }
        }
    }

    #[test]
    fn names_out_of_order_and_other_kinds_of_entries_are_refused() {
        assert!(read(&written(&[("b", b""), ("a", b"")])).is_err());
        assert!(read(&written(&[("a", b"1"), ("a", b"2")])).is_err());
        for kind in
            [EntryType::Symlink, EntryType::Link, EntryType::GNULongName, EntryType::XHeader, EntryType::GNUSparse]
        {
            let mut header = Header::new_ustar();
            header.set_path("a").expect("a name");
            header.set_size(0);
            header.set_entry_type(kind);
            header.set_cksum();
            assert!(read(&[&header.as_bytes()[..], &written(&ENTRIES)].concat()).is_err(), "{kind:?}");
        }
    }
}
