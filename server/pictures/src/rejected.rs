//! Why a picture is refused, and the bounds that every picture must keep.

/// The largest accepted file, in bytes.
pub const MAX_BYTES: usize = 10_485_760;
/// The largest accepted width and height, in pixels.
pub const MAX_SIDE: u32 = 12_000;
/// The largest accepted number of pixels.
pub const MAX_PIXELS: u64 = 40_000_000;

/// Why a picture is refused. Its `Display` is a sentence for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejected {
    /// The content is none of the accepted formats, whatever the file's name or type says.
    #[error("The file is not a JPEG, PNG or WebP image.")]
    UnknownFormat,
    /// The file is larger than [`MAX_BYTES`].
    #[error("The file has {bytes} bytes; at most {MAX_BYTES} are accepted.")]
    TooLarge {
        /// The file's length.
        bytes: usize,
    },
    /// The image is larger than [`MAX_SIDE`] or [`MAX_PIXELS`].
    #[error(
        "The image is {width} x {height} pixels; at most {MAX_SIDE} a side and {} megapixels are accepted.",
        MAX_PIXELS / 1_000_000
    )]
    TooManyPixels {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The image keeps the bounds above, but decoding this kind of image would take too much memory.
    #[error("The image is {width} x {height} pixels; at most {megapixels} megapixels are accepted for {kind}.")]
    TooCostly {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// The kind of image, such as "a progressive JPEG".
        kind: &'static str,
        /// How many megapixels are accepted for this kind, rounded down.
        megapixels: u64,
    },
    /// The image has several frames.
    #[error("The image is animated; a still image is expected.")]
    Animated,
    /// The file is incomplete or is not valid in its format.
    #[error("The image is broken: {0}.")]
    Broken(String),
}

impl Rejected {
    pub(crate) fn broken(reason: impl Into<String>) -> Self {
        Self::Broken(reason.into())
    }
}
