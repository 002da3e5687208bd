//! The progress of a transfer, in bytes.

/// The progress of a transfer, in bytes.
///
/// ```
/// fn report(progress: itinerary_sdk::Progress) {
///     println!("{} of {} bytes", progress.transferred, progress.total);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The bytes of the sealed file that have been transferred.
    pub transferred: u64,
    /// The size of the sealed file in bytes.
    pub total: u64,
}
