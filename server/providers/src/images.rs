//! The port for cover images. It fetches bytes; it does not decode, check or store them.

use async_trait::async_trait;
use bytes::Bytes;
use tokio::time::Instant;

use crate::Failure;

/// A downloaded file; not checked to be an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The file, at most 10 MB.
    pub bytes: Bytes,
    /// Provider, title, author and licence, such as `openverse: "Lisbon" by X, CC BY 2.0`.
    pub source: String,
    /// The web page of the image.
    pub page: Option<String>,
}

/// Finds images by words.
#[async_trait]
pub trait Images: Send + Sync {
    /// Returns an image that may be stored, adapted and used commercially. `None` if there is none.
    async fn find(&self, query: &str, deadline: Instant) -> Result<Option<Picture>, Failure>;

    /// The provider's name, such as `openverse`.
    fn name(&self) -> &str;
}
