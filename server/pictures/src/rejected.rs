//! Reasons for rejecting a picture, and its limits.

/// The largest accepted file, in bytes.
pub const MAX_BYTES: usize = 10_485_760;
/// The largest accepted width and height, in pixels.
pub const MAX_SIDE: u32 = 12_000;
/// The largest accepted number of pixels.
pub const MAX_PIXELS: u64 = 40_000_000;

/// The reason for rejecting a picture. Its `Display` is a sentence for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejected {
    /// The content has none of the accepted formats; name and declared type do not matter.
    #[error("The file is not a JPEG, PNG or WebP image.")]
    UnknownFormat,
    /// The file is larger than [`MAX_BYTES`].
    #[error("The file has {bytes} bytes; at most {MAX_BYTES} are accepted.")]
    TooLarge { bytes: usize },
    /// The image is larger than [`MAX_SIDE`] or [`MAX_PIXELS`].
    #[error(
        "The image is {width} x {height} pixels; at most {MAX_SIDE} a side and {} megapixels are accepted.",
        MAX_PIXELS / 1_000_000
    )]
    TooManyPixels { width: u32, height: u32 },
    /// The image is within the limits above, but decoding this kind of image would take too much memory.
    #[error("The image is {width} x {height} pixels; at most {megapixels} megapixels are accepted for {kind}.")]
    TooCostly {
        width: u32,
        height: u32,
        /// The kind of image, such as "a progressive JPEG".
        kind: &'static str,
        /// The limit for this kind, in megapixels, rounded down.
        megapixels: u64,
    },
    /// The image has several frames.
    #[error("The image is animated; a still image is expected.")]
    Animated,
    /// The image is not sRGB, and its colours cannot be converted.
    #[error("The image's colours cannot be converted to sRGB: {0}. Save it as sRGB and send that.")]
    Colours(&'static str),
    /// The file is incomplete or is not valid in its format.
    #[error("The image is broken: {0}.")]
    Broken(String),
}

impl Rejected {
    pub(crate) fn broken(reason: impl Into<String>) -> Self {
        Self::Broken(reason.into())
    }
}
