//! The bytes of a file to upload, from memory, a path, a stream or a reader.

use std::fmt;
use std::io;
use std::path::PathBuf;

use bytes::{Bytes, BytesMut};
use futures::stream::{self, BoxStream, Stream, StreamExt, TryStreamExt};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The largest block that is read, sealed and reported at once.
pub(crate) const BLOCK: usize = 64 * 1024;

/// A file to upload: bytes in memory, a path, a stream or a reader. Its size is announced before it is sent; more or
/// fewer bytes are an error.
///
/// `FileSource::from` takes the bytes themselves, also from a `&str`; [`FileSource::path`] takes the name of a file.
///
/// Bytes and a path can be read again if the access token is rejected; a stream or a reader cannot.
///
/// ```
/// use itinerary_sdk::FileSource;
///
/// let from_memory = FileSource::from("-----BEGIN AGE ENCRYPTED FILE-----");
/// let from_disk = FileSource::path("boarding-pass.pdf.age");
/// let from_a_reader = FileSource::reader(3, &b"abc"[..]);
/// ```
pub struct FileSource(Source);

enum Source {
    Bytes(Bytes),
    Path(PathBuf),
    /// `None` once it has been read.
    Once(Option<OpenFile>),
}

/// An open file, read in blocks of at most [`BLOCK`] bytes.
pub(crate) struct OpenFile {
    pub(crate) size: u64,
    pub(crate) blocks: BoxStream<'static, io::Result<Bytes>>,
}

impl FileSource {
    /// Reads the file at this path. It is opened when it is sent.
    ///
    /// ```
    /// let file = itinerary_sdk::FileSource::path("boarding-pass.pdf.age");
    /// ```
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self(Source::Path(path.into()))
    }

    /// Reads a stream of exactly `size` bytes.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use futures::stream;
    ///
    /// let blocks = stream::iter([Ok(Bytes::from("abc")), Ok(Bytes::from("def"))]);
    /// let file = itinerary_sdk::FileSource::stream(6, blocks);
    /// ```
    pub fn stream(size: u64, stream: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Self {
        Self(Source::Once(Some(OpenFile::new(size, stream))))
    }

    /// Reads exactly `size` bytes from a reader.
    ///
    /// ```
    /// let file = itinerary_sdk::FileSource::reader(3, &b"abc"[..]);
    /// ```
    pub fn reader(size: u64, reader: impl AsyncRead + Send + 'static) -> Self {
        Self::stream(size, blocks(reader))
    }

    /// Whether it can be opened more than once.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self.0, Source::Once(_))
    }

    pub(crate) async fn open(&mut self) -> io::Result<OpenFile> {
        match &mut self.0 {
            Source::Bytes(bytes) => Ok(OpenFile::new(bytes.len() as u64, stream::iter([Ok(bytes.clone())]))),
            Source::Path(path) => {
                let file = tokio::fs::File::open(path).await?;
                let size = file.metadata().await?.len();
                Ok(OpenFile::new(size, blocks(file)))
            }
            Source::Once(file) => file.take().ok_or_else(|| io::Error::other("the stream was already read")),
        }
    }
}

impl<B: Into<Bytes>> From<B> for FileSource {
    fn from(bytes: B) -> Self {
        Self(Source::Bytes(bytes.into()))
    }
}

/// Omits the contents.
impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Bytes(bytes) => write!(f, "FileSource({} bytes)", bytes.len()),
            Source::Path(path) => write!(f, "FileSource({})", path.display()),
            Source::Once(_) => f.write_str("FileSource(stream)"),
        }
    }
}

impl OpenFile {
    /// A stream of `size` bytes: fails at its end if there are fewer, and before any byte in excess.
    pub(crate) fn new(size: u64, stream: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Self {
        let state = (stream.boxed(), Bytes::new(), size);
        let blocks = stream::try_unfold(state, move |(mut stream, mut pending, left)| async move {
            while pending.is_empty() {
                match stream.try_next().await? {
                    Some(bytes) => pending = bytes,
                    None if left == 0 => return Ok(None),
                    None => return Err(wrong_size(size, "fewer")),
                }
            }
            let block = pending.split_to(pending.len().min(BLOCK));
            let left = left.checked_sub(block.len() as u64).ok_or_else(|| wrong_size(size, "more"))?;
            Ok(Some((block, (stream, pending, left))))
        });
        Self { size, blocks: blocks.boxed() }
    }
}

fn wrong_size(size: u64, relation: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it has {relation} than the announced {size} bytes"))
}

fn blocks(reader: impl AsyncRead + Send + 'static) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::try_unfold(Box::pin(reader), |mut reader| async move {
        let mut block = BytesMut::with_capacity(BLOCK);
        let read = reader.read_buf(&mut block).await?;
        Ok((read > 0).then(|| (block.freeze(), reader)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(mut source: FileSource) -> (u64, io::Result<Vec<Bytes>>) {
        let file = source.open().await.unwrap();
        (file.size, file.blocks.try_collect().await)
    }

    #[tokio::test]
    async fn every_source_gives_the_same_bytes_in_blocks() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, &bytes).unwrap();
        let (whole, size) = (Bytes::from(bytes.clone()), bytes.len() as u64);
        for source in [
            FileSource::from(bytes.clone()),
            FileSource::path(path),
            FileSource::stream(size, stream::iter([Ok(Bytes::new()), Ok(whole)])),
            FileSource::reader(size, std::io::Cursor::new(bytes.clone())),
        ] {
            let shown = format!("{source:?}");
            let (announced, blocks) = read(source).await;
            let blocks = blocks.unwrap();
            assert!(blocks.iter().all(|block| (1..=BLOCK).contains(&block.len())), "{shown}");
            assert!(announced == size && blocks.concat() == bytes, "{shown}");
        }
    }

    #[tokio::test]
    async fn another_size_than_announced_is_an_error() {
        for (size, relation) in [(2, "more"), (4, "fewer")] {
            let (_, blocks) = read(FileSource::reader(size, &b"abc"[..])).await;
            assert!(blocks.unwrap_err().to_string().contains(relation));
        }
        assert_eq!(read(FileSource::from("")).await.1.unwrap(), Vec::<Bytes>::new());
    }

    #[tokio::test]
    async fn a_stream_is_read_once() {
        let mut source = FileSource::reader(3, &b"abc"[..]);
        assert!(!source.is_repeatable() && FileSource::from("abc").is_repeatable());
        source.open().await.unwrap();
        assert!(source.open().await.is_err());
    }
}
